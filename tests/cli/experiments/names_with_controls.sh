# A drive and a note may say anything: no output for people passes their control sequences on, and
# JSON stays UTF-8.
printf 'experiment,during_temp_c,op,metric,kind,change_pct,reading_error_pct,device,note\n' >own.csv
printf 'x%d,60,read,bandwidth,value,-1,3,d\033]0;t\007\233\377,n\033[2J\302\233\376\n' 1 2 3 4 5 6 >>own.csv
ssd-whatif import csv own.csv >/dev/null
for command in 'experiments list --own' 'experiments show x1' 'predict --temp 60' 'prompt --temp 60' \
    'search temperature'; do
    # shellcheck disable=SC2086
    ssd-whatif $command --quiet >out
    printf '%s: %s\n' "$command" "$(LC_ALL=C tr -d '\n\t\40-\176\200-\377' <out | wc -c) control(s)"
    iconv -f UTF-8 -t UTF-8 out >/dev/null
done
ssd-whatif experiments list --own --format json | iconv -f UTF-8 -t UTF-8 | jq -c '.[0] | [.id, .device]'
