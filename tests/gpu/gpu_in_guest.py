#!/usr/bin/env python3
"""Registering a GPU's memory with an RDMA device (soft-RoCE), over the driver double.

  gpu_in_guest.py VERBCAST FOLDER_OF_THE_DOUBLE"""

import json
import os
import subprocess
import sys


def run(program, double, **variables):
    """`bench register --memory device`: its exit code, its report (or None) and what it said."""
    command = [program, "bench", "register", "--memory", "device", "--frames", "5", "--json", "-", "-q"]
    done = subprocess.run(command, env=dict(os.environ, LD_LIBRARY_PATH=double, **variables), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def expect(what, got, wanted):
    print(f"{what}: {got}", flush=True)
    if got != wanted:
        sys.exit(f"FAILED: {what}: {wanted} expected")


def main(program, double):
    code, report, said = run(program, double, CUDA_DOUBLE_PEERMEM="1")
    print(said, flush=True)
    expect("exit code", code, 0)
    points = report["registrations"]
    expect("sizes", [point["bytes"] >> 20 for point in points], [2, 8, 32, 128, 512])
    for point in points:
        expect("what and how", (point["device"], point["pages"], point["way"]), ("rxe0", "GPU", "address"))
        expect("it took time", all(point[key] > 0 for key in ("register_us", "deregister_us", "copy_us")), True)
    expect("crossovers", [each["pages"] for each in report["register_crossovers"]], ["GPU"])
    # A GPU of 100 MB: what fitted counts.
    code, report, said = run(program, double, CUDA_DOUBLE_PEERMEM="1", CUDA_DOUBLE_MEMORY="100000000")
    expect("exit code", code, 0)
    expect("sizes", [point["bytes"] >> 20 for point in report["registrations"]], [2, 8, 32])
    expect("a note says so", "128 MiB and more are left out: " in "\n".join(report["notes"]), True)
    # Neither way: soft-RoCE takes no dma-bufs.
    code, report, said = run(program, double)
    print(said, flush=True)
    expect("exit code without a way", code, 5)
    expect("both ways are told", "no dma-buf (" in said and "by its address" in said, True)
    code, report, said = run(program, double, CUDA_DOUBLE_DEVICES="0")
    expect("exit code without a GPU", code, 7)
    expect("it is told", "no GPU can be used here" in said, True)
    print("all as expected")


if __name__ == "__main__":
    main(*sys.argv[1:])
