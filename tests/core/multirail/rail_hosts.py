#!/usr/bin/env python3
"""A sender and a viewer on hosts of their own (network namespaces) with two cables between them, of which one dies
at a random moment, again and again: every frame arrives once, in order, as it was sent.

  rail_hosts.py VERBCAST [TRIALS] [figures]

figures: measures instead what a dying rail costs in latency, what two rails limited to 1 Gb/s each carry, and what
doubling costs. Exits with 77 where namespaces or cables are not allowed."""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

FRAMES = 150
SIZE = "320x180"
PATIENCE = 60  # seconds, for a machine that does much else
SKIP = 77


def run(*command, check=True):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done


class Hosts:
    """Two, with two cables: 10.81.1.1 - 10.81.1.2 and 10.81.2.1 - 10.81.2.2; and one more that nothing uses."""

    def __init__(self):
        self.names = [f"rails-{os.getpid()}-{number}" for number in range(2)]

    def __enter__(self):
        try:
            for name in self.names:
                run("ip", "netns", "add", name)
                run("ip", "-n", name, "link", "set", "lo", "up")
            for rail in (1, 2, 3):
                run("ip", "link", "add", f"rail{rail}", "netns", self.names[0], "type", "veth", "peer", "name",
                    f"rail{rail}", "netns", self.names[1])
                for number, name in enumerate(self.names):
                    run("ip", "-n", name, "addr", "add", f"10.81.{rail}.{number + 1}/24", "dev", f"rail{rail}")
                    run("ip", "-n", name, "link", "set", f"rail{rail}", "up")
        except OSError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.names:
            run("ip", "netns", "del", name, check=False)

    def on(self, number):
        return ["ip", "netns", "exec", self.names[number]]

    def cable(self, rail, up):
        run("ip", "-n", self.names[1], "link", "set", f"rail{rail}", "up" if up else "down")

    def carried(self, rail):
        """Bytes that came through the cable to the second host."""
        link, = json.loads(run("ip", "-n", self.names[1], "-s", "-j", "link", "show", f"rail{rail}").stdout)
        return link["stats64"]["rx"]["bytes"]

    def when_used(self, rails):
        """Waits until frames have come through each of these cables."""
        frames = 3 * 4 * math.prod(map(int, SIZE.split("x")))
        before = {rail: self.carried(rail) for rail in rails}
        deadline = time.monotonic() + PATIENCE
        while any(self.carried(rail) < before[rail] + frames for rail in rails):
            assert time.monotonic() < deadline, "nothing came through " + ", ".join(f"rail {rail}" for rail in rails)
            time.sleep(0.01)

    def loses_all(self, rail, lost):
        """False where the kernel has no netem."""
        for name in self.names:
            if run("tc", "-n", name, "qdisc", "replace" if lost else "del", "dev", f"rail{rail}", "root",
                   *(["netem", "loss", "100%"] if lost else []), check=False).returncode != 0:
                return False
        return True

    def cut(self, rail):
        """Kills the connections, as a router does that forgets them; False where the kernel cannot."""
        return run(*self.on(1), "ss", "-K", "dst", f"10.81.{rail}.1", check=False).returncode == 0

    def limit(self, rate):
        for name in self.names:
            for rail in (1, 2):
                run("tc", "-n", name, "qdisc", "replace", "dev", f"rail{rail}", "root", "tbf", "rate", rate, "burst",
                    "256k", "latency", "50ms")


def stream(verbcast, hosts, folder, mode, *, frames=FRAMES, size=SIZE, fps="60", policy="lossless", rails=(1, 2),
           options=(), meanwhile=None):
    """Both ends' statistics and their lists of frames."""
    sent, got = os.path.join(folder, "sent"), os.path.join(folder, "got")
    urls = ",".join(f"tcp://10.81.{rail}.1:7423" for rail in rails)
    common = ["--once", "--wait", str(PATIENCE), "--quiet"]
    sender = subprocess.Popen([*hosts.on(0), verbcast, "send", "pattern:noise", "--size", size, "--fps", fps, "--policy", policy,
                               "--listen", "tcp://0.0.0.0:7423", "--open", "--frames", str(frames), "--frame-md5", sent,
                               "--stats-json", sent + ".json", *common], stderr=subprocess.PIPE, text=True)
    viewer = subprocess.Popen([*hosts.on(1), verbcast, "view", "--headless", urls, *(["--rails", mode] if len(rails) > 1 else options),
                               "--frame-md5", got, "--stats-json", got + ".json", *common],
                              stderr=subprocess.PIPE, text=True)
    try:
        if meanwhile:
            meanwhile()
        words = [process.communicate(timeout=PATIENCE)[1] for process in (viewer, sender)]
    finally:
        for process in (viewer, sender):
            process.kill()
            process.wait()
    codes = (viewer.returncode, sender.returncode)
    if codes != (0, 0):
        raise AssertionError(f"viewer and sender ended with {codes}:\n{words[0]}\n{words[1]}")
    stats = [json.load(open(path + ".json", encoding="utf8")) for path in (sent, got)]
    lists = [[line for line in open(path, encoding="utf8").read().splitlines() if not line.startswith("#")]
             for path in (sent, got)]
    return stats, lists


def judge(stats, lists, frames=FRAMES):
    sent, got = lists
    assert len(got) == frames, f"{len(got)} of {frames} frames came"
    assert got == sent, "not the frames that were sent, in their order"
    for end in stats:
        assert end["frames_lost"] == 0 and end["frames_dropped"] == 0, end


def trial(verbcast, hosts, number, chance):
    mode = ("double", "stripe")[number % 2]
    rail, how, after = chance.choice((1, 2)), chance.choice(("cable", "silence", "cut")), chance.uniform(0.3, 2.0)
    with tempfile.TemporaryDirectory() as folder:

        def die():
            time.sleep(after)
            if how == "silence" and hosts.loses_all(rail, True):
                time.sleep(1.2)
                hosts.loses_all(rail, False)
            elif how != "cut" or not hosts.cut(rail):
                hosts.cable(rail, False)
                time.sleep(1.2)
                hosts.cable(rail, True)

        try:
            stats, lists = stream(verbcast, hosts, folder, mode, meanwhile=die)
            judge(stats, lists)
        except AssertionError as error:
            raise AssertionError(f"trial {number}: {mode}, rail {rail} by {how} after {after:.2f} s: {error}") from None
        finally:
            hosts.cable(1, True)
            hosts.cable(2, True)
        return sum(rail["times_down"] for rail in stats[1]["rails"]), stats[1]["latency_us"]


def found_by_itself(verbcast, hosts):
    """The viewer is given one address, and finds the others, that of the third cable, too."""
    for mode in ("double", "stripe"):
        with tempfile.TemporaryDirectory() as folder:
            stats, lists = stream(verbcast, hosts, folder, mode, frames=2 * FRAMES, rails=(1,),
                                    options=["--rails", mode],
                                    meanwhile=lambda: (hosts.when_used((1, 2, 3)), hosts.cable(1, False)))
            hosts.cable(1, True)
            judge(stats, lists, 2 * FRAMES)
            peers = {rail["peer"].rsplit(":")[0] for rail in stats[1]["rails"]}
            assert peers == {"10.81.1.1", "10.81.2.1", "10.81.3.1"}, stats[1]["rails"]
            assert all(rail["frames_received"] > 0 for rail in stats[1]["rails"]), stats[1]["rails"]


def measure(verbcast, hosts):
    def one(title, mode, **options):
        with tempfile.TemporaryDirectory() as folder:
            (sent, got), _ = stream(verbcast, hosts, folder, mode, **options)
            latency = got["latency_us"]
            print(f"{title}: {got['frames_received']} frames, {got['fps']:.1f} fps, {got['gigabytes_per_second']:.4f} GB/s, "
                  f"latency p50 {latency['p50']:.0f} p99 {latency['p99']:.0f} max {latency['max']:.0f} us, lost {got['frames_lost']}, "
                  f"dropped {got['frames_dropped']}, cpu {sent['cpu_seconds']:.2f} + {got['cpu_seconds']:.2f} s", flush=True)
            return got

    def pulled(*cables):
        def pull():
            for _ in range(4):
                for rail in cables:
                    time.sleep(1.5)
                    hosts.cable(rail, False)
                    time.sleep(1.5)
                    hosts.cable(rail, True)
        return pull

    one("one rail", "double", frames=1600, rails=(1,))
    for mode in ("double", "stripe"):
        one(f"{mode}", mode, frames=1600)
        for policy in ("lossless", "latest"):
            # What pulling a cable costs a machine on which the network is made of software, too.
            one(f"{mode}, {policy}, a cable that is not used dies eight times", mode, frames=1600, policy=policy,
                meanwhile=pulled(3, 3))
            one(f"{mode}, {policy}, each rail dies four times", mode, frames=1600, policy=policy, meanwhile=pulled(1, 2))
    try:
        hosts.limit("1gbit")
    except OSError as error:
        print(f"SKIP: rates cannot be limited here: {error}")
        return
    alone = one("1 Gb/s, one rail", "stripe", frames=240, size="1280x720", fps="max", rails=(1,))
    both = one("1 Gb/s each, striped", "stripe", frames=480, size="1280x720", fps="max")
    print(f"striped: {both['gigabytes_per_second'] / alone['gigabytes_per_second']:.2f} times one rail")


def refuses(verbcast):
    """Command lines that cannot be: exit code 2, and a message that names what is wrong."""
    for arguments, text in ((["view", "shm://a,tcp://10.0.0.1"], "shared memory cannot be a rail"),
                            (["view", "10.0.0.1,tcp://10.0.0.2"], "a rail's transport expected"),
                            (["view", "tcp://10.0.0.1,tcp://10.0.0.1"], "twice"),
                            (["view", "tcp://10.0.0.1,"], "on both sides of a comma"),
                            (["view", "--headless", "--listen", ":7423", "--rails", "double"], "this side listens"),
                            (["view", "--headless", "shm://a", "--rails", "double"], "shared memory cannot be a rail"),
                            (["view", "--headless", "tcp://10.0.0.1,tcp://10.0.0.2", "--rails", "triple"],
                             "double or stripe expected"),
                            (["pipe", "send", "--to", "tcp://10.0.0.1,tcp://10.0.0.2"], "one address expected")):
        done = run(verbcast, *arguments, check=False)
        assert done.returncode == 2 and text in done.stderr, (arguments, done.returncode, done.stderr)


def main():
    verbcast = os.path.abspath(sys.argv[1])
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    refuses(verbcast)
    try:
        with Hosts() as hosts:
            if sys.argv[3:] == ["figures"]:
                measure(verbcast, hosts)
                return 0
            found_by_itself(verbcast, hosts)
            chance = random.Random(15)
            downs = [trial(verbcast, hosts, number, chance) for number in range(trials)]
    except OSError as error:
        print(f"SKIP: no hosts with cables here: {error}")
        return SKIP
    print(f"{trials} trials, rails were down {sum(down for down, _ in downs)} times, nothing was lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
