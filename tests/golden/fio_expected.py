#!/usr/bin/env python3
"""Independent reader behind fio_expected.csv: each figure looked up in the file by its member
name, units by hand per version. Prints the table; the test compares our parser with the table."""
import json, os, sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "fio")
REFUSED = {"fio-3.33.enospc-devfull.json": "failed with error 28",
           "fio-3.33.killed_empty.json": "empty",
           "fio-3.33.null_randtrim.json": "only trimmed",
           "fio-3.33.truncated_3000B.json": ":123: cut off"}
NO_LATENCY = {"fio-3.33.gtod_reduce.json", "fio-3.33.no_percentiles.json"}


def last_document(text):
    start = max(text.rfind("\n{\n"), 0)          # fio starts a document alone on a line
    return json.JSONDecoder().raw_decode(text, text.index("{", start))[0]


print("file,outcome,job,op,n_ios,bw_mbps,p90_us,p99_us,p99_9_us,max_us,reason")
for name in sorted(os.listdir(HERE)):
    if name in REFUSED:
        print(f"{name},refused,,,,,,,,,{REFUSED[name]}")
        continue
    doc = last_document(open(os.path.join(HERE, name), encoding="utf-8-sig").read())
    old = doc["fio version"].startswith("fio-2.")
    for job in doc.get("jobs") or doc["client_stats"]:
        if job["jobname"] == "All clients":
            continue
        for op in ("read", "write", "mixed"):
            d = job.get(op)
            if not d or not d["io_bytes"]:
                continue
            bw = d["bw"] * 1024 / 1e6 if old else d["bw_bytes"] / 1e6
            lat, unit = (d["clat"], 1.0) if old else (d["clat_ns"], 0.001)
            n = lat.get("N", d.get("total_ios"))
            if n is None:
                n = round(d["iops"] * d["runtime"] / 1000)
            if name in NO_LATENCY:
                cells = ["", "", "", ""]
                n = ""
            else:
                p = lat["percentile"]
                cells = [f"{p[k] * unit:.10g}" for k in ("90.000000", "99.000000", "99.900000")]
                cells.append(f"{lat['max'] * unit:.10g}")
            print(",".join([name, "imported", job["jobname"], op, str(n), f"{bw:.10g}"] + cells + [""]))
