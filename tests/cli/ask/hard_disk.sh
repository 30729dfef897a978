# A hard disk is no SSD: an error, or a warning with the answer, never silence.
code=0
ssd-whatif ask 'How does a hard disk drive behave at 60 °C?' --format json >out.json 2>err || code=$?
case $code in
0) jq -r '.warnings | map(select(test("hard disk"; "i"))) | length > 0' out.json ;;
3) grep -ciE 'hard disk|HDD' err | awk '{ print ($1 == 1) ? "true" : "false" }' ;;
*) echo "exit code $code" ;;
esac
