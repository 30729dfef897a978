ssd-whatif physics jesd218 --row enterprise-40-25 --format json
