# 77 F, 298.15 K and 25 C are one temperature: the same document.
ssd-whatif predict --nand tlc --temp 25:60 --format json >c.json
ssd-whatif predict --nand tlc --temp 77F:140F --format json >f.json
ssd-whatif predict --nand tlc --temp 298.15K:333.15K --format json >k.json
cmp c.json f.json
cmp c.json k.json
jq -c '.scenario.exposure | .before.temp_c, .during.temp_c' c.json
