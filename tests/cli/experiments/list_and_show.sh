# Every listed experiment can be shown.
ssd-whatif experiments list --format json >list.json
jq -c 'length > 0, all(has("id") and has("source") and has("nand") and has("device"))' list.json
ssd-whatif experiments show "$(jq -r '.[0].id' list.json)" --format json | jq -r --slurpfile l list.json '.id == $l[0][0].id'
