#!/usr/bin/env python3
"""Data for import.sh: fio json+ outputs, an observation table, the same with a condition of its own for
every experiment, a sensor log. DIR KIND BYTES"""
import json, math, os, random, sys

random.seed(1)


def bins(n_ios):
    """A latency histogram as fio's json+ prints it: 64 bins per octave, log-normal with a tail."""
    out, left = {}, n_ios
    for i in range(1200):
        value = int(1000 * 2 ** (i / 64))
        count = int(n_ios * math.exp(-((i - 400) / 90) ** 2) / 160) + (1 if i % 7 == 0 else 0)
        if count and left > 0:
            out[str(value)] = count
            left -= count
    return out


def direction(n_ios):
    b = bins(n_ios)
    n, total = 0, sum(b.values())
    wanted = [50.0, 90.0, 95.0, 99.0, 99.9, 99.99]
    found = {}
    for value, count in b.items():
        n += count
        while wanted and n >= wanted[0] / 100 * total:
            found["%f" % wanted.pop(0)] = int(value)
    values = [int(v) for v in b]
    return {"io_bytes": total * 4096, "bw_bytes": 200000000 + random.randrange(1000000), "bw": 195312,
            "iops": 48828.1, "runtime": 60000, "total_ios": total, "bw_mean": 195000.0, "bw_dev": 900.0, "bw_samples": 120,
            "clat_ns": {"min": values[0], "max": values[-1], "mean": 80000.0, "stddev": 30000.0, "N": total,
                        "percentile": found, "bins": b}}


def fio(folder, size):
    done, i = 0, 0
    while done < size:
        jobs = [{"jobname": f"job{k}", "groupid": k, "error": 0,
                 "job options": {"rw": "randrw", "bs": "4k", "direct": "1", "ioengine": "libaio"},
                 "read": direction(2000000 + i), "write": direction(2000000 + k)} for k in range(8)]
        doc = json.dumps({"fio version": "fio-3.33", "timestamp": 1796058763 + i, "jobs": jobs}, indent=2)
        with open(os.path.join(folder, f"run{i:05d}.json"), "w") as out:
            done += out.write(doc)
        i += 1


def table(path, size):
    with open(path, "w") as out:
        done = out.write("experiment,device,nand,interface,during_temp_c,during_rh_pct,phase,workload,op,percentile,"
                         "change_pct,low_pct,high_pct,reading_error_pct,n_samples,locator\n")
        i = 0
        while done < size:
            for p in (90, 95, 99, 99.9, 99.99):
                done += out.write(f"mine-{i:06d},Acme X{i % 50},tlc,NVMe,{40 + i % 30},{30 + i % 50},running,"
                                  f"fio randread bs=4k iodepth=16,read,{p},{-20 + i % 40}.{i % 10},{-25 + i % 40},"
                                  f"{-15 + i % 40},2.5,{100000 + i},run {i}\n")
            i += 1


def spread(path, size):
    with open(path, "w") as out:
        done = out.write("experiment,device,nand,interface,during_temp_c,during_rh_pct,phase,workload,op,percentile,"
                         "change_pct,low_pct,high_pct,reading_error_pct,n_samples,locator\n")
        i = 0
        while done < size:
            device, nand, op = random.randrange(50), random.choice(("tlc", "mlc", "qlc")), random.choice(("read", "write"))
            temp, rh, base = random.uniform(-5, 75), random.uniform(10, 85), random.gauss(0, 12)
            for p in (90, 95, 99, 99.9, 99.99):
                change = base + random.gauss(0, 4)
                done += out.write(f"mine-{i:06d},Acme X{device},{nand},NVMe,{temp:.1f},{rh:.1f},running,"
                                  f"fio randread bs=4k iodepth=16,{op},{p},{change:.1f},{change - 5:.1f},"
                                  f"{change + 5:.1f},2.5,{100000 + i},run {i}\n")
            i += 1


def sensors(path, size):
    with open(path, "w") as out:
        done = out.write("time,temperature,humidity\n")
        step, lines = 0, []
        while done < size:
            del lines[:]
            for _ in range(20000):
                t = 1772366400 + step
                temp = 60.0 if 5000000 < step < 15000000 else 22.5
                lines.append("20%02d-%02d-%02dT%02d:%02d:%02dZ,%.2f,%.1f\n" % (
                    20 + step // 31104000, 1 + step // 2592000 % 12, 1 + step // 86400 % 28, step // 3600 % 24,
                    step // 60 % 60, step % 60, temp + (step * 7 % 10) / 50, 50 + (step * 3 % 10) / 5))
                step += 1
            done += out.write("".join(lines))


if __name__ == "__main__":
    {"fio": fio, "table": table, "spread": spread, "sensors": sensors}[sys.argv[2]](sys.argv[1], int(float(sys.argv[3])))
