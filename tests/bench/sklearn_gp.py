"""Speed of a plain Gaussian process by scikit-learn on the same observations: RBF with one length per
feature plus white noise, hyper-parameters given, mean and standard deviation. A different model than
ours, for a ratio of speeds only.

sklearn_gp.py DATA_DIR: prints scenarios of five percentiles per second, the best of five runs.
"""
import csv
import math
import sys
import time

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

N_ROWS, N_FEATURES, N_SCENARIOS = 302, 13, 2000
AXES = ["none", "parallel", "perpendicular"]
PHASES = ["running", "post", "long_term"]


def number(text, default):
    return float(text) if text else default


def features(exp, obs):
    before_t, during_t = number(exp["before_temp_c"], 22.5), number(exp["during_temp_c"], 22.5)
    before_h, during_h = number(exp["before_rh_pct"], 50), number(exp["during_rh_pct"], 50)
    percentile = number(obs["percentile"], 90)
    tail = 7 if percentile >= 100 else -math.log10(1 - percentile / 100)
    row = [(during_t - before_t) / 37.5, (during_h - before_h) / 30, (during_t - 22.5) / 37.5, (tail - 3) / 2]
    row += [exp["during_vib_axis"] == axis for axis in AXES]
    row += [exp["phase"] == phase for phase in PHASES]
    row += [obs["op"] == "read", obs["op"] == "write", exp["nand"] == "tlc", exp["vendor"] == "A"]
    return [float(value) for value in row]


def load(folder):
    with open(f"{folder}/experiments.csv", newline="") as f:
        exps = {row["id"]: row for row in csv.DictReader(f)}
    x, y = [], []
    with open(f"{folder}/observations.csv", newline="") as f:
        for obs in csv.DictReader(f):
            if obs["metric"] == "tail_latency" and obs["change_pct"] and obs["percentile"]:
                x.append(features(exps[obs["experiment"]], obs))
                y.append(float(obs["change_pct"]))
    x, y = np.array(x), np.array(y)
    x = x[:, x.std(0) > 0][:, :N_FEATURES]
    pick = np.resize(np.arange(len(x)), N_ROWS)
    return x[pick], y[pick]


def main():
    x, y = load(sys.argv[1])
    kernel = ConstantKernel(100.0) * RBF(np.ones(x.shape[1])) + WhiteKernel(4.0)
    model = GaussianProcessRegressor(kernel, optimizer=None).fit(x, y)
    rng = np.random.default_rng(0)
    z = x[rng.integers(0, len(x), 5 * N_SCENARIOS)] + 0.1 * rng.normal(size=(5 * N_SCENARIOS, x.shape[1]))
    best = math.inf
    for _ in range(5):
        start = time.process_time()
        model.predict(z, return_std=True)
        best = min(best, time.process_time() - start)
    print(f"{N_SCENARIOS / best:.0f} {x.shape[0]} {x.shape[1]}")


main()
