ssd-whatif principles list --format json >list.json
jq -c 'length >= 45, (map(.id) | length == (unique | length))' list.json
ssd-whatif principles show "$(jq -r '.[0].id' list.json)" --format json | jq -r --slurpfile l list.json '.id == $l[0][0].id'
