# What is impossible, empty or about something else: one line, exit code 3; the command line's own faults: 2.
. "$TESTS/cli/try.sh"
try ssd-whatif ask ''
try ssd-whatif ask '   '
try ssd-whatif ask 'TLC SSD at 500 °C'
try ssd-whatif ask 'TLC SSD at 130 % relative humidity'
try ssd-whatif ask 'p101 latency of a TLC SSD at 60 °C'
try ssd-whatif ask 'What is the capital of France?'
# a figure that was not taken in must not end as 'nothing is done to the drive'
try ssd-whatif ask 'p99 of a TLC SSD at 50 %RH dal 80 %'
try ssd-whatif ask
try ssd-whatif ask two arguments
