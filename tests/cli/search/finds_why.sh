# Each hit says why it was found; nothing found is an empty list.
ssd-whatif search 'vibration perpendicular to the board' --format json |
    jq -c 'length > 0, all(.why | length > 0), ([.[].kind] | unique)'
ssd-whatif search 'vibration' --kind principles --top-k 2 --format json | jq -c 'length <= 2, ([.[].kind] | unique)'
