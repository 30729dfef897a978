# SLC, QLC, an unknown kind, and long exposure to heat were never measured.
for options in '--nand slc --temp 25:60' '--nand qlc --temp 25:60' '--temp 25:60' \
    '--nand tlc --temp 25:60 --phase long_term'; do
    ssd-whatif predict $options --format json | jq -r '.domain.status | if . == "inside" then "inside" else "not inside" end'
done
