try() { if ssd-whatif physics "$@" >out; then echo "accepted: $*"; else echo "exit $?"; fi; }
try arrhenius --plot x.png
try arrhenius --stress-c 40:80:5 --use-c 20:30:5 --plot x.png
try arrhenius --stress-c 40:80:5 --plot missing/x.png
mkdir bin
for tool in sh cat; do ln -s "$(command -v $tool)" bin/; done
program=$(command -v ssd-whatif)
PATH=$PWD/bin
if "$program" physics arrhenius --stress-c 40:80:5 --plot x.png; then echo accepted; else echo "exit $?"; fi
