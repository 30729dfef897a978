ssd-whatif doctor >out
wc -L <out | awk '{ print ($1 <= 100) ? "fits" : "too wide" }'
ssd-whatif doctor --format json | jq -c 'type'
