#!/usr/bin/env python3
"""On a machine with two NUMA nodes and its network card on node 1: where rings and threads are.

  numa_in_guest.py VERBCAST"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ADDRESS = "verbs://10.77.0.1:7423"
os.environ["VERBCAST_TIMEOUT"] = "20"  # a peer that does not run for a while is not lost
PATIENCE = 60  # seconds; processors are emulated


def pages_of_ring(process):
    """Pages of the rings that a process made, by node. Those that it maps of a peer are not written to."""
    pages = {}
    maps = pathlib.Path(f"/proc/{process.pid}/numa_maps").read_text()
    for line in maps.splitlines():
        if "memfd:verbcast-frames" in line:
            for node, count in re.findall(r" N(\d+)=(\d+)", line):
                pages[int(node)] = pages.get(int(node), 0) + int(count)
    return pages


def processors(process):
    """Those that its threads may use."""
    lists = set()
    for status in pathlib.Path(f"/proc/{process.pid}/task").glob("*/status"):
        lists.add(re.search(r"Cpus_allowed_list:\s*(\S+)", status.read_text()).group(1))
    return lists


def expect(what, got, wanted):
    print(f"{what}: {got}", flush=True)
    if got != wanted:
        sys.exit(f"FAILED: {what}: {wanted} expected")


def stream(program, folder, send_options, view_options, wanted):
    """A stream over the card; `wanted`: nodes of sender and viewer, and who chose."""
    def start(name, *words):
        return subprocess.Popen([program, *words, "--stats-json", folder / f"{name}.json", "-v"],
                                stderr=open(folder / f"{name}.log", "w"))

    sender = start("send", "send", "pattern:bars", "--size", "640x360", "--fps", "10", "--listen", ADDRESS, "--once",
                   *send_options)
    viewer = start("view", "view", ADDRESS, "--headless", "--once", *view_options)
    ends = {"send": sender, "view": viewer}
    until = time.monotonic() + PATIENCE
    # Slots are used from the first on: one frame fills a few hundred pages.
    while not all(sum(pages_of_ring(end).values()) >= 100 for end in ends.values()):
        if time.monotonic() > until or any(end.poll() is not None for end in ends.values()):
            print(*(log.read_text() for log in folder.glob("*.log")), sep="\n")
            sys.exit("FAILED: no stream")
        time.sleep(0.2)
    for (name, end), node in zip(ends.items(), wanted):
        expect(f"{name}: nodes of its ring", sorted(pages_of_ring(end)), [node])
        expect(f"{name}: processors", processors(end), {str(node)})
    viewer.terminate()
    for name, end in ends.items():
        end.wait(PATIENCE)
        told = json.loads((folder / f"{name}.json").read_text())["numa"]
        print(told, flush=True)
        expect(f"{name}: node in --stats-json", told["node"], wanted[list(ends).index(name)])
        log = (folder / f"{name}.log").read_text()
        expect(f"{name}: node in -v", f"NUMA: node {told['node']}: {told['reason']}" in log, True)


def pipe(program, folder, send_options, receive_options, wanted):
    """A pipe over the card; `wanted`: nodes of sender and receiver."""
    def start(name, *words, **ends):
        return subprocess.Popen([program, "pipe", *words, "--stats-json", folder / f"{name}.json"], **ends)

    receiver = start("recv", "recv", "--listen", ADDRESS, *receive_options, stdout=subprocess.PIPE)
    sender = start("send", "send", ADDRESS, *send_options, stdin=subprocess.PIPE)
    sender.stdin.write(b"bytes")
    sender.stdin.flush()
    expect("bytes", receiver.stdout.read(5), b"bytes")
    for name, end, node in zip(("send", "recv"), (sender, receiver), wanted):
        expect(f"pipe {name}: processors", processors(end), {str(node)})
    sender.stdin.close()
    for name, end, node in zip(("send", "recv"), (sender, receiver), wanted):
        expect(f"pipe {name}: exit code", end.wait(PATIENCE), 0)
        expect(f"pipe {name}: node in --stats-json",
               json.loads((folder / f"{name}.json").read_text())["numa"]["node"], node)


def pipeline(program, folder, options, wanted):
    """`pipe run` with this machine as the host; `wanted`: nodes of the ends of both hops."""
    ssh = folder / "ssh"
    ssh.write_text('#!/bin/sh\nshift\nexec sh -c "$*"\n')
    ssh.chmod(0o755)
    stats = folder / "run.json"
    # The command tells where it may run: everywhere.
    run = subprocess.run([program, "pipe", "run", "--ssh", ssh, "--program", program, "--transport", "tcp", "--address",
                          "host=10.77.0.1", "--stats-json", stats, *options,
                          "host:grep Cpus_allowed_list /proc/self/status"], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
    expect("pipe run: exit code", run.returncode, 0)
    expect("pipe run: processors of the command", run.stdout.split()[1], "0-1")
    hops = json.loads(stats.read_text())["hops"]
    expect("pipe run: hops", len(hops), len(wanted))
    for hop, nodes in zip(hops, wanted):
        print(hop["from_numa"], hop["to_numa"], flush=True)
        expect(f"pipe run: nodes from {hop['from']} to {hop['to']}",
               [hop["from_numa"]["node"], hop["to_numa"]["node"]], nodes)


def main(program):
    expect("nodes", sorted(path.name for path in pathlib.Path("/sys/devices/system/node").glob("node[0-9]*")),
           ["node0", "node1"])
    expect("the card's node", next(pathlib.Path("/sys/class/net/eth0/device").resolve().parents[0].glob("numa_node"))
           .read_text().strip(), "1")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stream(program, folder, ["--numa", "0"], ["--numa", "1"], [0, 1])
        stream(program, folder, [], [], [1, 1])
        pipe(program, folder, ["--numa", "0"], [], [0, 1])
        pipeline(program, folder, ["--numa", "0"], [[0, 0], [0, 0]])
        # Ends that call a peer on this machine use no card.
        pipeline(program, folder, [], [[None, 1], [1, None]])
    wrong = subprocess.run([program, "send", "pattern", "--listen", "shm://x", "--numa", "7"], text=True,
                           stderr=subprocess.PIPE)
    expect("exit code for node 7", wrong.returncode, 2)
    expect("the nodes are named", "nodes of this machine: 0, 1" in wrong.stderr, True)
    print("all as expected")


if __name__ == "__main__":
    main(sys.argv[1])
