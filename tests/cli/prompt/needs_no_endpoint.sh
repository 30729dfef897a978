# The exact prompt, without a server or a key; the evidence is numbered and quoted.
ssd-whatif prompt 'TLC SSD at 60 °C' --format json >p.json
jq -c '.schema, (.tokens > 0), ([.messages[].role] | unique), (.sent_ids | length > 0)' p.json
ssd-whatif prompt --nand tlc --temp 25:60 --format json | jq -c '.schema'
