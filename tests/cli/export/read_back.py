"""Reads an export with a parser that has nothing to do with ours and compares every number with base x predicted change.

read_back.py TARGET BASE EXPORT PREDICTION.json [low|high]     says what was checked, or what differs and fails
"""
import configparser, json, os, re, subprocess, sys, xml.etree.ElementTree as et

READS = ["Page_Read", "LSBRead", "CSBRead", "MSBRead", "pg_rd_lat", "NAND_READ", "NAND_4KB_READ"]
WRITES = ["Page_Program", "LSBWrite", "CSBWrite", "MSBWrite", "pg_wr_lat", "NAND_PROG"]


def mqsim(path):
    return {"/".join([e.tag, str(i)]): e.text.strip() for i, e in enumerate(et.parse(path).getroot().iter())
            if e.text and e.text.strip()}


def simplessd(path):
    ini = configparser.ConfigParser(inline_comment_prefixes=(";",), strict=True)
    ini.optionxform = str
    ini.read(path)
    return {s + "/" + k if s != "pal" else k: v for s in ini.sections() for k, v in ini[s].items()}


def femu(path):  # what bash hands to QEMU
    out = subprocess.run(["bash", path], env={**os.environ, "QEMU": "printf %s\\n"}, check=True, text=True,
                         capture_output=True).stdout
    return {f"{k}#{i}": v for i, word in enumerate(out.split()) for k, v in
            (p.split("=") for p in word.split(",") if "=" in p)}


def nvmevirt(path):  # what a C compiler computes
    values = {}
    for ssd in "SAMSUNG_970PRO", "ZNS_PROTOTYPE":
        macros = subprocess.run(["cpp", "-dM", f"-DBASE_SSD={ssd}", path], check=True, text=True,
                                capture_output=True).stdout
        names = re.findall(r"#define ((?:NAND|FW)_\w+)", macros)
        code = f'#include <stdio.h>\n#include "{os.path.abspath(path)}"\nint main(void){{' + "".join(
            f'printf("{n} %lld\\n",(long long){n});' for n in names) + "}"
        subprocess.run(["cc", f"-DBASE_SSD={ssd}", "-w", "-x", "c", "-o", "macros", "-"], input=code, text=True,
                       check=True)
        for line in subprocess.run(["./macros"], check=True, text=True, capture_output=True).stdout.splitlines():
            name, value = line.split()
            values[f"{name}#{ssd}"] = value
    return values


target, base, export, prediction = sys.argv[1:5]
end = sys.argv[5] + "_pct" if len(sys.argv) > 5 else "change_pct"
only = os.environ.get("ONLY", "")
factor = {p["scenario"]["op"]: 1 + p["tail_latency"][0][end] / 100 for p in json.load(open(prediction))}
before, after = globals()[target](base), globals()[target](export)
assert before.keys() == after.keys(), before.keys() ^ after.keys()
n = {"read": 0, "write": 0, "left": 0}
for name, value in before.items():
    op = "read" if any(name.startswith(r) for r in READS) else "write" if any(name.startswith(w) for w in WRITES) else ""
    if op in factor and only in name:
        want = int(value) * factor[op]
        # a JSON change has four decimals at least; half a unit comes from rounding
        assert abs(int(after[name]) - want) <= 0.5 + int(value) * 1e-6, (name, value, after[name], want)
        n[op] += 1
    else:
        assert after[name] == value, (name, value, after[name])
        n["left"] += 1
print(f"{target}: {n['read']} read times and {n['write']} program times scaled, {n['left']} other values as they were")
