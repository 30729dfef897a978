ssd-whatif physics arrhenius
ssd-whatif physics arrhenius --ea-ev 0.43 --use-c 40 --stress-c 100
