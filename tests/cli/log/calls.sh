# Three calls of the past, one without figures and one whose reply is no JSON: listed, shown, pruned.
export SSD_WHATIF_DB=store.db
ssd-whatif log list
ssd-whatif log list --format json
ssd-whatif log list --format csv
mkdir -p "$HOME/.config/ssd-whatif"
echo '{"prices": {"priced": {"prompt_per_million": 2, "completion_per_million": 8}}}' >"$HOME/.config/ssd-whatif/config.json"
# key, moment, model, request, reply, status, tokens in, out, seconds
add() {
    sqlite3 store.db "insert into replies(key, logged_at, endpoint, model, request, response, http_status,
        prompt_tokens, completion_tokens, wall_s) values('$1', '$2', 'https://llm.example/v1', '$3', '$4', cast('$5' as blob), $6, $7, $8, $9)"
}
zeros=0000000000000000000000000000000000000000000000000000000000000
add "${zeros}aaa" 2026-01-02T03:04:05Z priced '{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"p99?\nPlease."}]}' \
    '{"choices":[{"message":{"content":"12"}}]}' 200 1200 340 2.5
add "${zeros}bbb" 2026-02-03T04:05:06Z other '{"input":["a text"]}' '{"data":[]}' 200 -1 -1 0.25
add "${zeros}ccc" 2026-03-04T05:06:07Z priced 'no JSON' '<html>log in</html>' 200 -1 -1 0.125
ssd-whatif log
ssd-whatif log list --limit 1
ssd-whatif log list --limit 0 --format csv
for id in 1 2 3; do
    ssd-whatif log show $id
    ssd-whatif log show $id --format json >shown
    "$TESTS/schema/validate" log-show <shown
done
ssd-whatif log list --format json | "$TESTS/schema/validate" log-list
ssd-whatif log prune --before 2026-02-03T04:05:06Z
ssd-whatif log prune --before 2026-02-03T04:05:06Z --format json | "$TESTS/schema/validate" log-prune
ssd-whatif log list --format csv
ssd-whatif log prune --keep 1
ssd-whatif log list --format csv
ssd-whatif log prune --keep 1 --before 2027 --format json
ssd-whatif log list
# What was removed does not lend its number to the next.
add "${zeros}ddd" 2026-04-05T06:07:08Z priced '{}' '{}' 200 1 1 1
ssd-whatif log list --format csv
ssd-whatif log prune --all
