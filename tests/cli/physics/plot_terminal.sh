ssd-whatif physics arrhenius --stress-c 40:80:5 --plot - | grep -c 'stress-c (C)'
ssd-whatif physics arrhenius --stress-c 40:80:5 --plot "it's.png" --quiet >/dev/null
head -c 4 "it's.png" | tail -c 3; echo
ls
