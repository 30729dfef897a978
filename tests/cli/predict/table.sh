# What a person sees: at most 80 columns, which sign is worse, no control characters.
ssd-whatif predict --nand tlc --op read --temp 25:60 >table
wc -L <table | awk '{ print ($1 <= 80) ? "fits" : "too wide: " $1 }'
grep -c "$(printf '\033')" table || :
grep -ciE 'worse|slower' table | awk '{ print ($1 > 0) ? "says which sign is worse" : "does not say which sign is worse" }'
