try() { if ssd-whatif physics "$@"; then echo "accepted: $*"; else echo "exit $?"; fi; }
try arrhenius --use-c 20:80
try arrhenius --use-c 20:80:-5
try arrhenius --use-c 20:80:0
try arrhenius --use-c 20:80:1e-9
try arrhenius --use-c 20x
try arrhenius --use-c nan
try arrhenius --use-c=-300
try arrhenius --use-c 20:180:10
try arrhenius --pressure 3
try rber --set qlc
try throttle --tmt1-c 90
try arrhenius --output dew_point_c
try arrhenius peck
try
