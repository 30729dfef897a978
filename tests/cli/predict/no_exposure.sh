# Nothing happens: exactly 0 while running and after; long_term keeps the quiet ageing.
for nand in mlc tlc; do
    for phase in running post; do
        ssd-whatif predict --nand $nand --phase $phase --format json |
            jq -c '[.scenario.nand, .scenario.phase, ([.tail_latency[].change_pct, .bandwidth.change_pct] | unique)]'
    done
done
ssd-whatif predict --nand mlc --phase long_term --format json | jq -c '.tail_latency | all(.low_pct < .high_pct)'
