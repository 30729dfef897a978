ssd-whatif physics throttle --ambient-c 20:60:20
ssd-whatif physics throttle --ambient-c 20:60:20 --output speed_pct
