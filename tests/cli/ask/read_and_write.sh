# Read and write of one device: one object, op mixed, with a warning.
ssd-whatif ask 'read and write latency of a TLC SSD at 60 °C' --format json |
    jq -c '.schema, .scenario.op, (.warnings | length > 0)'
