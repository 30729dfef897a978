# Two devices in one question: two answers.
ssd-whatif ask 'compare MLC and TLC at 60 degrees' --format json |
    jq -c '.schema, [.predictions[].scenario.nand]'
