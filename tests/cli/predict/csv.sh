# One row per percentile and one for bandwidth, every row with as many cells as the header.
ssd-whatif predict --nand tlc --temp 25:60 --percentiles 99,99.9 --format csv >out.csv
head -1 out.csv
awk -F, 'NR == 1 { n = NF } NF != n { print "row " NR " has " NF " cells" }' out.csv
cut -d, -f1-5 out.csv | tail -n +2
