# HPCA'15's table of factors, from 25 C
ssd-whatif physics arrhenius --use-c 25 --stress-c 50:90:10 --ea-ev 1.1 --quiet
