ssd-whatif physics gravity
