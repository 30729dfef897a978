ssd-whatif physics peck
