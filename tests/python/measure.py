#!/usr/bin/env python3
"""What Python costs beside the program's own ends: 3840x2160 at 60 fps over shm, in turn.

  measure.py VERBCAST [SECONDS [TURNS]]        on an idle machine; PYTHONPATH: the folder of the package

For each pair of ends: each end's processor time per frame, the latency from submit to arrival in microseconds, and
frames. Start and end are not measured."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

SIZE, FPS, FORMAT = (3840, 2160), 60, "nv12"
PAIRS = [("program", "program"), ("program", "python"), ("python", "program"), ("python", "python")]
SETTLE = 3.0


def receive(url, stats):
    import numpy  # now, before anything is measured
    import verbcast
    with verbcast.Receiver(url) as receiver:
        for frame in receiver:
            frame.planes
            receiver.shown(frame)
        pathlib.Path(stats).write_text(json.dumps(receiver.full_stats()))


def send(url, seconds):
    import numpy
    import verbcast
    with verbcast.Sender(url) as sender:
        sender.format(FORMAT, *SIZE, FPS)
        sender.wait()
        pictures = [[numpy.full((SIZE[1], SIZE[0]), level, numpy.uint8),
                     numpy.full((SIZE[1] // 2, SIZE[0] // 2, 2), 128, numpy.uint8)] for level in (50, 200)]
        due = time.monotonic()
        for number in range(round(float(seconds) * FPS)):
            sender.send(pictures[number % 2])
            due += 1 / FPS
            time.sleep(max(due - time.monotonic(), 0))


def processor_seconds(process):
    """Of all its threads, to the nanosecond; those that have ended do not count."""
    tasks = pathlib.Path(f"/proc/{process.pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def turn(program, sender, receiver, seconds, folder):
    url = f"shm://measure-{os.getpid()}"
    stats = pathlib.Path(folder, "stats")
    size, frames = "x".join(map(str, SIZE)), round(seconds * FPS)
    me = [sys.executable, "-B", __file__]
    ends = [subprocess.Popen([program, "send", "pattern:counter", "--size", size, "--format", FORMAT, "--fps", str(FPS),
                              "--frames", str(frames), "--once", "-q", "--listen", url]
                             if sender == "program" else [*me, "--send", url, str(seconds)]),
            subprocess.Popen([program, "view", "--headless", "--once", "-q", url, "--stats-json", stats]
                             if receiver == "program" else [*me, "--receive", url, stats])]
    time.sleep(SETTLE)
    if any(end.poll() is not None for end in ends):  # it has said why
        for end in ends:
            end.kill()
        sys.exit("an end did not start")
    before, began = [processor_seconds(end) for end in ends], time.monotonic()
    time.sleep(seconds - 2 * SETTLE)
    after, lasted = [processor_seconds(end) for end in ends], time.monotonic() - began
    for end in ends:
        end.wait(60)
    costs = [(late - early) / (lasted * FPS) * 1e6 for early, late in zip(before, after)]
    told = json.loads(stats.read_text())
    return costs, told


def main(program, seconds=14, turns=3):
    if float(seconds) <= 2 * SETTLE:
        sys.exit(f"{seconds} seconds: more than {2 * SETTLE:.0f} expected, {SETTLE:.0f} at either end do not count")
    with tempfile.TemporaryDirectory() as folder:
        print("sender   receiver  us/frame: sender receiver  latency p50     p99  received  dropped")
        for _ in range(int(turns)):
            for sender, receiver in PAIRS:
                costs, told = turn(program, sender, receiver, float(seconds), folder)
                latency = told["latency_us"]
                print(f"{sender:8} {receiver:8} {costs[0]:17.0f} {costs[1]:8.0f} {latency['p50']:12.0f} "
                      f"{latency['p99']:7.0f} {told['frames_received']:9} {told['frames_dropped']:8}", flush=True)


if __name__ == "__main__":
    roles = {"--send": send, "--receive": receive}
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] in roles:
        roles[sys.argv[1]](*sys.argv[2:])
    else:
        main(*sys.argv[1:])
