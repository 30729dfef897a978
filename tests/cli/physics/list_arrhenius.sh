ssd-whatif physics list | sed -n '/^arrhenius/,/^$/p'
ssd-whatif physics list --format csv | grep '^"\{0,1\}sine'
