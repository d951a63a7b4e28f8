#!/usr/bin/env python3
"""What the library costs beside the program's own ends: 3840x2160 at 60 fps over shm, in turn.

  measure.py VERBCAST MEASURED_END [SECONDS [TURNS]]      on an idle machine

VERBCAST is the program, MEASURED_END its ends by the C interface (the target of that name); PYTHONPATH leads to
Python's package. All senders copy each frame once: the program from a file in the page cache, by read(), the others
from their memory. For each pair of ends: processor time per frame and end, the latency from submit to arrival, and
frames; then what the library's ends cost as parts of the program's. Start and end are not measured."""

import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT, FPS = 3840, 2160, 60
PAIRS = [("program", "program"), ("program", "c"), ("program", "python"), ("c", "program"), ("python", "program")]
SETTLE = 3.0


def receive(url):
    import numpy  # now, before anything is measured
    import verbcast
    with verbcast.Receiver(url) as receiver:
        for frame in receiver:
            frame.planes
            receiver.shown(frame)
        print(json.dumps(receiver.full_stats()))


def send(url, frames):
    import numpy
    import verbcast
    with verbcast.Sender(url) as sender:
        sender.format("yuv420p", WIDTH, HEIGHT, FPS)
        sender.wait()
        pictures = [[numpy.full((HEIGHT // part, WIDTH // part), level, numpy.uint8) for part in (1, 2, 2)]
                    for level in (50, 120)]
        due = time.monotonic()
        for number in range(int(frames)):
            time.sleep(max(due - time.monotonic(), 0))
            sender.send(pictures[number % 2])
            due += 1 / FPS


def processor_seconds(process):
    """Of all its threads, to the nanosecond; those that have ended do not count."""
    tasks = pathlib.Path(f"/proc/{process.pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def clip(path):
    """As many pictures as the others have."""
    with path.open("wb") as file:
        file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{FPS}:1 Ip A1:1 C420mpeg2\n".encode())
        for level in (50, 120):
            file.write(b"FRAME\n" + bytes([level]) * (WIDTH * HEIGHT * 3 // 2))


def commands(program, end, folder, frames):
    """Of senders and of receivers, by their kind."""
    url = f"shm://measure-{os.getpid()}"
    me = [sys.executable, "-B", __file__]
    return ({"program": [program, "send", folder / "clip.y4m", "--loop", "--once", "-q", "--frames",
                         str(frames), "--listen", url],
             "c": [end, "send", url, str(frames)],
             "python": [*me, "--send", url, str(frames)]},
            {"program": [program, "view", "--headless", "--once", "-q", url, "--stats-json", folder / "told"],
             "c": [end, "receive", url],
             "python": [*me, "--receive", url]})


def turn(sender, receiver, seconds, folder):
    """Two commands. Returns microseconds per frame of both, and the receiver's statistics."""
    with (folder / "told").open("w") as told:
        ends = [subprocess.Popen(sender), subprocess.Popen(receiver, stdout=told)]
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
    return costs, json.loads((folder / "told").read_text())


def main(program, end, seconds=14, turns=3):
    seconds = float(seconds)
    if seconds <= 2 * SETTLE:
        sys.exit(f"{seconds} seconds: more than {2 * SETTLE:.0f} expected, {SETTLE:.0f} at either end do not count")
    costs = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        clip(folder / "clip.y4m")
        senders, receivers = commands(program, end, folder, round(seconds * FPS))
        print("sender   receiver  us/frame: sender receiver  latency p50     p99  received  dropped")
        for _ in range(int(turns)):
            for pair in PAIRS:
                cost, told = turn(senders[pair[0]], receivers[pair[1]], seconds, folder)
                costs[pair].append(cost)
                latency = told["latency_us"]
                print(f"{pair[0]:8} {pair[1]:8} {cost[0]:17.0f} {cost[1]:8.0f} {latency['p50']:12.0f} "
                      f"{latency['p99']:7.0f} {told['frames_received']:9} {told['frames_dropped']:8}", flush=True)
    for kind in ("c", "python"):
        for role, pair in enumerate([(kind, "program"), ("program", kind)]):
            parts = sorted(mine[role] / theirs[role] for mine, theirs in zip(costs[pair], costs["program", "program"]))
            print(f"{kind} {('sends', 'receives')[role]}: {statistics.median(parts):.2f} of the program's processor time "
                  f"({parts[0]:.2f} to {parts[-1]:.2f})")


if __name__ == "__main__":
    roles = {"--send": send, "--receive": receive}
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[1] in roles:
        roles[sys.argv[1]](*sys.argv[2:])
    else:
        main(*sys.argv[1:])
