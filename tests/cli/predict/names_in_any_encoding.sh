# A name or an argument is any bytes: JSON stays UTF-8, an error stays one line, and neither drives
# a terminal (0x9b is CSI to an 8-bit one) nor turns the writing direction (U+202E).
odd=$(printf 'a\377\233b')
ssd-whatif predict --vendor "$odd" --device "$odd" --interface "$odd" --temp 60 --format json |
    jq -c '.scenario | [.vendor, .device, .interface]'
ssd-whatif predict --vendor "$odd" --temp 60 | iconv -f UTF-8 -t UTF-8 | head -n 1
for argument in "$(printf 'two\nlines\tand a tab')" "$odd" "$(printf 'a\342\200\256b\033[31m\302\233')"; do
    code=0
    ssd-whatif predict --hours "$argument" 2>err || code=$?
    echo "$code, $(wc -l <err) line(s)"
    iconv -f UTF-8 -t UTF-8 err
done
