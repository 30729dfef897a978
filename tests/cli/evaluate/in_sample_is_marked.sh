ssd-whatif evaluate --holdout none | grep -o 'IN-SAMPLE: the predictions have seen these measurements'
ssd-whatif evaluate --holdout none --format json | jq .in_sample
