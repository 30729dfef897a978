# Where most drives throttle, the answer says so: outside, from physics, and as the reason for the number.
say() { ssd-whatif predict --nand tlc --temp 25:60 --op read -p 99 "$@" --format json -q |
	jq -c '[.domain.status, .from_physics, ([.reasoning[] | select(.text | test("throttling carries"))] | map(.step)), ([.warnings[] | tostring | select(test("dew point"))] | length)]'; }
say
say --interface SATA
say --interface NVMe
say --interface U.2
say --rh 50:50
