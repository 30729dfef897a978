# A question is data: control sequences, SQL, FTS5 operators and format strings change nothing.
for q in "TLC SSD at 60 °C'; drop table experiments; --" 'TLC SSD at 60 °C "NEAR( OR * ^' 'TLC SSD at 60 °C %s%n%d' \
    "$(printf 'TLC SSD at 60 \302\260C \033[31mred\007')"; do
    ssd-whatif ask "$q" --format json | jq -c '.scenario.exposure.during.temp_c'
    ssd-whatif ask "$q" | grep -c "$(printf '\033')" || :
    ssd-whatif search "$q" >/dev/null
done
ssd-whatif experiments list --format json | jq 'length > 0'
