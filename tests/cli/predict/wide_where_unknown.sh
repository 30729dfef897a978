# Not to know the cell type is no narrower than to know it; another frequency or a stated intensity widens all
# percentiles; the median of heat was not measured, and its interval says so.
width() { ssd-whatif predict "$@" --format json -q | jq -r '[.tail_latency[], .bandwidth] | map(((1 + .high_pct / 100) / (1 + .low_pct / 100)) | log * 1000 | round) | @csv'; }
wider() { # wider A B: every interval of A is wider than that of B by a twentieth
    jq -n --argjson a "[$1]" --argjson b "[$2]" '[$a, $b] | transpose | all(.[0] > 1.05 * .[1])'
}
heat=$(width --temp 22.5:60 -p 90,99)
wider "$heat" "$(width --nand mlc --temp 22.5:60 -p 90,99)"
for vib in parallel@25 parallel@1000 parallel@20:1.14 parallel@20:5; do
    wider "$(width --vib $vib -p 99,99.999)" "$(width --vib parallel@20 -p 99,99.999)"
done
[ "$(width --vib parallel@20 -p 99,99.999)" = "$(width --vib parallel -p 99,99.999)" ] && echo same
ssd-whatif predict --nand tlc --temp 22.5:60 -p 50,90 --format json -q |
    jq -r '.domain.status, (.tail_latency[0] | .low_pct < -60 and .high_pct > 20), (.domain.reasons[] | select(test("percentile")))'
