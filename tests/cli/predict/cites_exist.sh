# Every id that the reasoning cites is in the document and in the store.
ssd-whatif predict --nand tlc --temp 25:60 --vib perpendicular@20 --format json >p.json
jq -r '(.evidence + .principles | map(.id)) as $known | .reasoning[].cites[] | select(IN($known[]) | not)' p.json
ssd-whatif experiments list --format json | jq -r '.[].id' | sort >stored
ssd-whatif principles list --format json | jq -r '.[].id' | sort >>stored
jq -r '.evidence[].id, .principles[].id' p.json | while read -r id; do grep -qxF -- "$id" stored || echo "not stored: $id"; done
jq '[.evidence, .principles, .reasoning] | all(length > 0)' p.json
