#!/usr/bin/env python3
"""One stream to many viewers through relays, each program on a host of its own (a network namespace) whose link is
limited, beside what such links allow.

  relay_tree.py VERBCAST [figures]

Every viewer gets every frame as it was sent, and no sooner than that; with `figures` for three levels of
relays and sixteen viewers, and for sixteen viewers of the sender itself. Exits with 77 where namespaces or limits are not
allowed."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

SIZE = "640x360"
FRAME_BYTES = 640 * 360 * 3 // 2  # yuv420p
FPS = 2  # so slow that sixteen copies of a frame leave in time
LINK_GBPS = 0.2
FAN_OUT = 2
os.environ["VERBCAST_TIMEOUT"] = "20"  # a peer that does not run for a while is not lost
PATIENCE = 60  # seconds, for a machine that does much else
SKIP = 77


def run(*command, check=True):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done


class Hosts:
    """Behind one switch; what a host sends is limited to LINK_GBPS. Host n is 10.82.0.n+1."""

    def __init__(self, count):
        self.names = [f"tree-{os.getpid()}-{number}" for number in range(count)]
        self._switch = f"tree-{os.getpid()}-switch"

    def __enter__(self):
        try:
            for name in (self._switch, *self.names):
                run("ip", "netns", "add", name)
                run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "-n", self._switch, "link", "add", "bridge0", "type", "bridge", "forward_delay", "0")
            run("ip", "-n", self._switch, "link", "set", "bridge0", "up")
            for number, name in enumerate(self.names):
                run("ip", "link", "add", f"port{number}", "netns", self._switch, "type", "veth", "peer", "name", "eth0", "netns",
                    name)
                run("ip", "-n", self._switch, "link", "set", f"port{number}", "master", "bridge0", "up")
                run("ip", "-n", name, "addr", "add", f"{address(number)}/24", "dev", "eth0")
                run("ip", "-n", name, "link", "set", "eth0", "up")
                # A bucket that is small beside a frame, or frames would have a head start.
                run("tc", "-n", name, "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", f"{LINK_GBPS * 1000:.0f}mbit", "burst",
                    "16k", "limit", "32m")
        except OSError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in (self._switch, *self.names):
            run("ip", "netns", "del", name, check=False)


def address(host):
    return f"10.82.0.{host + 1}"


class Program:
    def __init__(self, hosts, host, *words):
        self._said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(["ip", "netns", "exec", hosts.names[host], *words], stderr=self._said,
                                        stdout=subprocess.DEVNULL)

    def text(self):
        self._said.seek(0)
        return self._said.read()

    def wait_for(self, word):
        end = time.monotonic() + PATIENCE
        while word not in self.text():
            assert self.process.poll() is None and time.monotonic() < end, f"\"{word}\" was not said, but:\n{self.text()}"
            time.sleep(0.02)

    def end(self, patience):
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it does not end, and said:\n{self.text()}") from None

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def sums(path):
    with open(path, encoding="ascii") as lines:
        return [line.strip().split(",")[-1].strip() for line in lines if line[0].isdigit()]


def stream(verbcast, levels, viewers, frames, folder):
    """Through so many levels of relays; gives when a frame is there, in us: the median, of the slowest viewer."""
    relays = [FAN_OUT ** level for level in range(1, levels + 1)]
    listen = ("--listen", "tcp://:7423", "--open", "--max-viewers", str(max(viewers, FAN_OUT)))
    sent = os.path.join(folder, f"sent-{levels}")
    programs = []
    views = {}
    with Hosts(1 + sum(relays) + viewers) as hosts:
        try:
            sender = Program(hosts, 0, verbcast, "send", "pattern:noise", "--size", SIZE, "--format", "yuv420p", "--fps", str(FPS),
                             "--policy", "lossless", "--frame-md5", sent, *listen)
            programs.append(sender)
            sender.wait_for("waiting for a viewer")
            parents = [0]
            for level in relays:
                children = []
                for number in range(level):
                    children.append(len(programs))
                    programs.append(Program(hosts, children[-1], verbcast, "relay",
                                            f"tcp://{address(parents[number // FAN_OUT])}:7423", *listen))
                parents = children
            for number in range(viewers):
                files = os.path.join(folder, f"got-{levels}-{number}")
                parent = parents[number * len(parents) // viewers]
                views[files] = Program(hosts, len(programs), verbcast, "view", f"tcp://{address(parent)}:7423", "--headless",
                                       "--frames", str(frames), "--frame-md5", files, "--stats-json", f"{files}.json")
                programs.append(views[files])
            for view in views.values():
                code = view.end(PATIENCE + frames / FPS)
                assert code == 0, f"a viewer ended with {code} and said:\n{view.text()}\nThe sender said:\n{sender.text()}"
            sender.process.send_signal(signal.SIGINT)
            sender.end(PATIENCE)
        finally:
            for program in programs:
                program.kill()
    return max(delay(files, sums(sent), frames) for files in views)


def delay(files, sent, frames):
    """Of one viewer, whose frames are those that were sent; who came later begins later."""
    got = sums(files)
    first = sent.index(got[0]) if got and got[0] in sent else -1
    assert len(got) == frames and first >= 0 and got == sent[first:first + frames], f"{files}: these are not the frames that were sent"
    with open(f"{files}.json", encoding="utf-8") as file:
        figures = json.load(file)
    # From the moment it was captured until it left the last relay, and from there.
    return figures["stages_us"]["capture"]["p50"] + figures["latency_us"]["p50"]


def allowed(levels, viewers):
    """When the last viewer has a frame, in us, if links were all that takes time: a host sends its copies one after
    another, and a relay has the whole frame first."""
    copies = FAN_OUT if levels else viewers
    return (levels + 1) * copies * FRAME_BYTES * 8 / (LINK_GBPS * 1000)


def main():
    # Programs would inherit that a script's "&" has SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    verbcast = os.path.abspath(sys.argv[1])
    figures = sys.argv[2:] == ["figures"]
    os.environ.pop("VERBCAST_KEY", None)
    try:
        with Hosts(1):
            pass
    except OSError as error:
        print(f"no hosts with limited links can be made here: {error}")
        sys.exit(SKIP)
    plans = [(0, 16), (1, 4), (2, 8), (3, 16)] if figures else [(1, 4)]
    for levels, viewers in plans:
        with tempfile.TemporaryDirectory() as folder:
            took = stream(verbcast, levels, viewers, 20 if figures else 6, folder)
        least = allowed(levels, viewers)
        print(f"{viewers} viewers, {levels} levels of relays: {took / 1000:.1f} ms, allowed {least / 1000:.1f} ms, "
              f"{took / least:.2f} of it", flush=True)
        assert took > 0.95 * least, "frames came sooner than the links allow"


if __name__ == "__main__":
    main()
