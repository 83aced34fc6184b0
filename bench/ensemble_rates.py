#!/usr/bin/env python3
"""ensemble_rates.py PROGRAM [RUNS]: many motions of the triple pendulum (1 s, tolerance 1e-6), four ways, and the ratios.

Processor seconds of the whole call, the least of three: beside other load they say more than the clock. Threads are judged by the clock."""
import os
import resource
import subprocess
import sys
import time

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
program, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
model = os.path.join(root, "models", "triple_pendulum", "model.toml")
ensemble = [program, "ensemble", model, "--vary", "MA2 ~ normal(1, 0.05)", "--vary", "q1 ~ uniform(0.3, 0.6)", "--until", "1", "--tolerance", "1e-6",
            "--collect", "final(q1)", "--quiet"]


def least(words, times=3):
    """Processor seconds, and seconds by the clock."""
    best = [float("inf"), float("inf")]
    for _ in range(times):
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        clock, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = [min(best[0], cpu), min(best[1], clock)]
    return best


few = 1000
process = least([program, "simulate", model, "--until", "1", "--samples", "1", "--tolerance", "1e-6", "--quiet"], 10)[0]
start = least([*ensemble, "--runs", "1", "--threads", "1"])[0]
single = (least([*ensemble, "--runs", str(few), "--threads", "1", "--one-by-one"])[0] - start) / few
lanes, one_thread = least([*ensemble, "--runs", str(runs), "--threads", "1"])
lanes /= runs
two_threads = least([*ensemble, "--runs", str(runs), "--threads", "2"])[1]
print(f"{'a process of simulate':34}{1e6 * process:12.1f} us a run")
print(f"{'single motions in one program':34}{1e6 * single:12.1f} us a run")
print(f"{'four at a time':34}{1e6 * lanes:12.1f} us a run, {1 / lanes:.0f} runs a second and core, {runs} runs")
print(f"{'against processes':34}{process / lanes:12.1f}x")
print(f"{'against single motions':34}{single / lanes:12.1f}x")
print(f"{'two threads against one, by the clock':34}{one_thread / two_threads:9.2f}x")
