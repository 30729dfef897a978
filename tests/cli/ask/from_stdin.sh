# - reads the question from standard input.
echo 'TLC SSD at 60 °C' | ssd-whatif ask - --format json | jq -c '.scenario.nand, .scenario.exposure.during.temp_c'
