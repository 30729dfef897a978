# Verbs, ids, dates and numbers that are none; nothing is removed by mistake.
. "$TESTS/cli/try.sh"
export SSD_WHATIF_DB=store.db
for id in 1 0 -1 x 1x '' 99999999999999999999; do try ssd-whatif log show -- "$id"; done
try ssd-whatif log show
try ssd-whatif log show 1 2
try ssd-whatif log list 1
try ssd-whatif log clear
try ssd-whatif log prune
try ssd-whatif log prune all
for date in yesterday 2026- 2026-3 26-03-01 2026-03-14T25:00:00Zzz 2026-13 2026-02-30T1 2026-02-31T24 ''; do try ssd-whatif log prune --before "$date"; done
try ssd-whatif log prune --keep=-1
try ssd-whatif log list --limit many
