. "$TESTS/cli/try.sh"
f=$TESTS/fixtures/export
bad() { # bad TARGET FILE OPTIONS...: one error, nothing written
    target=$1 file=$2
    shift 2
    try ssd-whatif export "$target" --nand tlc --temp 22.5:60 --base "$file" -o out "$@" | sed "s/becomes [0-9]*/becomes N/"
    if [ -e out ]; then echo "out was written"; fi
}
change() { # change FILE SED: a base with a fault
    sed "$2" "$f/$1" >"${1%.txt}"
}
change mqsim.xml 's/48000/-48000/' && bad mqsim mqsim.xml
change mqsim.xml 's/48000/48us/' && bad mqsim mqsim.xml
change mqsim.xml 's/48000/<b\/>/' && bad mqsim mqsim.xml
change mqsim.xml 's/48000//' && bad mqsim mqsim.xml
change mqsim.xml 's/48000/9007199254740000/' && bad mqsim mqsim.xml --bound high
change mqsim.xml '/Page_Program/d' && bad mqsim mqsim.xml
change mqsim.xml '/Page_Program/d' && ssd-whatif export mqsim --nand tlc --temp 60 --op read --base mqsim.xml >/dev/null
change mqsim.xml 's/Execution_P/P/' && bad mqsim mqsim.xml
change mqsim.xml '$d' && bad mqsim mqsim.xml
change mqsim.xml '1a <!DOCTYPE x [<!ENTITY a "1">]>' && bad mqsim mqsim.xml
bad mqsim "$f/../export/no-such.xml" 2>&1 | sed "s#$TESTS##"
: >empty && bad mqsim empty
printf 'a\0b' >nul && bad femu nul
mkdir dir && bad femu dir
change simplessd.cfg 's/58000000/58us/' && bad simplessd simplessd.cfg
change simplessd.cfg 's/58000000/-1/' && bad simplessd simplessd.cfg
change simplessd.cfg 's/\[pal\]/[nand]/' && bad simplessd simplessd.cfg
change simplessd.cfg 's/Channel = 8/Channel 8/' && bad simplessd simplessd.cfg
change simplessd.cfg 's/^CSBRead/ CSBRead/' && bad simplessd simplessd.cfg
change femu.sh 's/=40000/=40us/' && bad femu femu.sh
change femu.sh 's/=40000/=-1/' && bad femu femu.sh
change femu.sh 's/=40000/=2147483647/' && bad femu femu.sh --bound high
change femu.sh '/pg_wr_lat/d' && bad femu femu.sh
change ssd_config.h.txt 's/(185000)/(0x185)/' && bad nvmevirt ssd_config.h --base-ssd SAMSUNG_970PRO
change ssd_config.h.txt 's/(185000)/(185000 - 185001)/' && bad nvmevirt ssd_config.h --base-ssd SAMSUNG_970PRO
change ssd_config.h.txt 's/(185000)/(PROG)/' && bad nvmevirt ssd_config.h --base-ssd SAMSUNG_970PRO
change ssd_config.h.txt 's/(185000)/(1 \/ 0)/' && bad nvmevirt ssd_config.h --base-ssd SAMSUNG_970PRO
cp "$f/ssd_config.h.txt" ssd_config.h && bad nvmevirt ssd_config.h
bad nvmevirt ssd_config.h --base-ssd WD_ZN540
