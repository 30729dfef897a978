# Vibration of no stated frequency is computed as that of the experiments, which the domain must say.
. "$TESTS/cli/try.sh"
for vib in parallel parallel@20 parallel@1000; do
    ssd-whatif predict --vendor B --vib "$vib" --format json -q | jq -r '.domain.status, (.domain.reasons[] | select(test("Hz")))'
done
ssd-whatif predict --vendor B --vib parallel | grep -- '[-]0\.0' || echo 'no minus zero'
