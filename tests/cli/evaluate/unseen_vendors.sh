ssd-whatif evaluate --holdout vendor --format json >out
jq -c '[.schema, .engine, .holdout, .in_sample, .folds]' out
jq -c '[.results[] | .predictor] | unique' out
jq -c '.results[] | select(.predictor == "zero" and .family == "vibration") | [.n, .mae_points * 100 | round]' out
jq -c '[.results[], .by_domain[] | .. | numbers | isnan] | any' out
