#!/usr/bin/env python3
"""Registering a GPU's memory with an RDMA device (soft-RoCE), over the driver double.

  gpu_in_guest.py VERBCAST FOLDER_OF_THE_DOUBLE FULL_BAR1 [large]

large: registers up to 512 MiB, which takes a minute of emulated processors, and nothing else."""

import json
import os
import subprocess
import sys


def run(program, double, *mode, **variables):
    """`bench register --memory device`, or `mode`: its exit code, its report (or None) and what it said."""
    command = [program, "bench", *(mode or ("register", "--frames", "5")), "--memory", "device", "--json", "-", "-q"]
    done = subprocess.run(command, env=dict(os.environ, LD_LIBRARY_PATH=double, **variables), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def expect(what, got, wanted):
    print(f"{what}: {got}", flush=True)
    if got != wanted:
        sys.exit(f"FAILED: {what}: {wanted} expected")


def copies(program, double, **variables):
    """Over PCIe, for each frame, and what was said."""
    code, report, said = run(program, double, "frames", "--transport", "verbs", "--size", "64x64", "--frames", "30",
                             "--fps", "max", CUDA_DOUBLE_PEERMEM="1", **variables)
    print(said, flush=True)
    expect("exit code", code, 0)
    return report["rows"][0]["device_memory"]["pcie_copies_per_frame"], said


def registers(program, double, sizes, **variables):
    """Each of these sizes, in MiB, by its address; gives the report."""
    code, report, said = run(program, double, CUDA_DOUBLE_PEERMEM="1", **variables)
    print(said, flush=True)
    expect("exit code", code, 0)
    points = report["registrations"]
    expect("sizes", [point["bytes"] >> 20 for point in points], sizes)
    for point in points:
        expect("what and how", (point["device"], point["pages"], point["way"]), ("rxe0", "GPU", "address"))
        expect("it took time", all(point[key] > 0 for key in ("register_us", "deregister_us", "copy_us")), True)
    expect("crossovers", [each["pages"] for each in report["register_crossovers"]], ["GPU"])
    return report


def main(program, double, full_bar1, *large):
    if large:
        registers(program, double, [2, 8, 32, 128, 512])
        return
    # A GPU of 100 MB: what fitted counts.
    report = registers(program, double, [2, 8, 32], CUDA_DOUBLE_MEMORY="100000000")
    expect("a note says so", "128 MiB and more are left out: " in "\n".join(report["notes"]), True)
    # Neither way: soft-RoCE takes no dma-bufs.
    code, report, said = run(program, double)
    print(said, flush=True)
    expect("exit code without a way", code, 5)
    expect("both ways are told", "no dma-buf (" in said and "by its address" in said, True)
    # BAR1 is full: copies, and the reason.
    expect("copies with room in BAR1", copies(program, double)[0], 0)
    count, said = copies(program, double, LD_PRELOAD=full_bar1, VERBCAST_LOG="info")
    expect("copies without", count, 2)
    expect("the reason is told", "BAR1, the window onto the GPU's memory, may be full" in said, True)
    code, report, said = run(program, double, CUDA_DOUBLE_PEERMEM="1", LD_PRELOAD=full_bar1)
    expect("exit code of a registration without room in BAR1", code, 5)
    expect("the reason is told", "BAR1, the window onto the GPU's memory, may be full" in said, True)
    code, report, said = run(program, double, CUDA_DOUBLE_DEVICES="0")
    expect("exit code without a GPU", code, 7)
    expect("it is told", "no GPU can be used here" in said, True)
    print("all as expected")


if __name__ == "__main__":
    main(*sys.argv[1:])
