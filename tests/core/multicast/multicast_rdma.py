#!/usr/bin/env python3
"""One sender and up to four viewers by multicast over RDMA, each on a soft-RoCE device of its own, on cables to one
bridge that loses packets: what every viewer has is what was sent, and the sender's device sends it once, beside the
same viewers one by one over verbs.

  multicast_rdma.py VERBCAST [more | all | devices]

more: one viewer and four, and losses without encryption, too. all: every number of viewers, beside the same one by one,
more losses, and devices that leave: some five minutes on emulated processors, which must have nothing else to do.
devices: those that leave, alone.

Changes interfaces and devices of the machine: for a guest (tests/guest).
Soft-RoCE knows no namespaces, so all devices are in one; the sessions go over loopback."""

import json
import os
import re
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from multicast_hosts import Program, run, sums  # noqa: E402

GROUP = "239.10.0.7:7423"
FRAMES = 24
SIZE = "160x90"
FRAME_BYTES = 160 * 90 * 4
VIEWERS = 4
MTU = 4096


def address(number):
    return f"10.78.{number}.1"


def make_network():
    """Device rx1 is the sender's, rx2 and so on are the viewers'; their interfaces are e1, e2 ..."""
    for setting in ("rp_filter=0", "accept_local=1"):  # what one interface sends to another comes from an own address
        run("sysctl", "-qw", f"net.ipv4.conf.all.{setting}")
    run("ip", "link", "add", "bridge7", "mtu", "9000", "type", "bridge", "forward_delay", "0", "mcast_snooping", "0")
    run("ip", "link", "set", "bridge7", "up")
    for number in range(1, VIEWERS + 2):
        run("ip", "link", "add", f"p{number}", "mtu", "9000", "type", "veth", "peer", "name", f"e{number}", "mtu", "9000")
        run("ip", "link", "set", f"p{number}", "master", "bridge7", "up")
        for setting in ("rp_filter=0", "accept_local=1"):
            run("sysctl", "-qw", f"net.ipv4.conf.e{number}.{setting}")
        run("ip", "addr", "add", f"{address(number)}/16", "dev", f"e{number}")
        run("ip", "link", "set", f"e{number}", "up")
        run("rdma", "link", "add", f"rx{number}", "type", "rxe", "netdev", f"e{number}")


def lose(loss):
    for number in range(2, VIEWERS + 2):
        run("tc", "qdisc", "del", "dev", f"p{number}", "root", check=False)
        if loss:
            run("tc", "qdisc", "add", "dev", f"p{number}", "root", "netem", "loss", f"{loss:.3%}", "limit", "100000")


def lost():
    return sum(int(count) for count in re.findall(r"dropped (\d+)", run("tc", "-s", "qdisc", "show").stdout))


def packets_sent():
    """By the sender's device."""
    with open("/sys/class/infiniband/rx1/ports/1/hw_counters/sent_pkts", encoding="ascii") as file:
        return int(file.read())


class Stream:
    """A sender, started; its viewers each take FRAMES frames, or what comes."""

    def __init__(self, verbcast, folder, *options, listen="tcp://:7423", environment=None, policy="lossless"):
        self.verbcast, self.environment = verbcast, environment
        self.sent_file = os.path.join(folder, "sent")
        self.json = os.path.join(folder, "sent.json")
        self.folder = folder
        self.others = []
        self.sender = Program((), verbcast, "send", "-v", "pattern:noise", "--size", SIZE, "--fps", "15", "--policy", policy, "--changes", "off", "--listen", listen, "--frame-md5", self.sent_file, "--stats-json", self.json,
                              *options, environment=environment)
        try:
            self.sender.wait_for("waiting for a viewer")
        except AssertionError:
            self.kill()
            raise

    def kill(self):
        for one in [*self.others, self.sender]:
            one.kill()

    def view(self, url, *options, frames=FRAMES):
        number = len(self.others)
        got = os.path.join(self.folder, f"got-{number}")
        self.others.append(Program((), self.verbcast, "view", "-v", url, "--headless", *(("--frames", str(frames)) if frames else ()), "--frame-md5", got,
                                   "--stats-json", f"{got}.json", *options, environment=self.environment))

    def processor_seconds(self):
        with open(f"/proc/{self.sender.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def finish(self):
        """What the sender says of itself, and each viewer. Its processor's time is without that of its start."""
        try:
            self.sender.wait_for("sending")
            started = self.processor_seconds()
            for one in self.others:
                code = one.end()
                assert code == 0, f"it ended with {code} and said:\n{one.text()}\nThe sender said:\n{self.sender.text()}"
            self.sender.process.send_signal(signal.SIGINT)
            self.sender.end()
        finally:
            self.kill()
        sent = sums(self.sent_file)
        viewers = []
        for number in range(len(self.others)):
            got = sums(os.path.join(self.folder, f"got-{number}"))
            assert len(got) == FRAMES, f"viewer {number}: {len(got)} frames"
            first = sent.index(got[0]) if got[0] in sent else -1
            assert first >= 0 and got == sent[first:first + FRAMES], f"viewer {number}: these are not the frames that were sent"
            with open(os.path.join(self.folder, f"got-{number}.json"), encoding="utf-8") as file:
                viewers.append(json.load(file))
        with open(self.json, encoding="utf-8") as file:
            sender = json.load(file)
        sender["cpu_seconds"] -= started
        return sender, viewers


def by_group(verbcast, folder, viewers, options=(), environment=None, via="?via=rdma"):
    before = packets_sent()
    stream = Stream(verbcast, folder, "--multicast", f"{GROUP}%e1{via}", *(options or ("--open",)), environment=environment)
    for number in range(2, viewers + 2):
        stream.view(f"multicast://{GROUP}%e{number}", *options)
    sender, got = stream.finish()
    group = sender["multicast"]
    assert group["frames_by_rdma"] == group["frames"] > 0, f"frames left by UDP: {group}"
    assert all(one["multicast"]["datagrams_by_rdma"] == one["multicast"]["datagrams"] > 0 for one in got), "frames came by UDP"
    packets = packets_sent() - before
    assert packets == group["datagrams_by_rdma"], f"the device sent {packets} packets of {group['datagrams_by_rdma']} datagrams"
    again = group["bytes_repeated"] / (FRAME_BYTES / (packets / group["frames"]))
    return (packets - again) / group["frames"], 1e3 * sender["cpu_seconds"] / group["frames"], group


def one_by_one(verbcast, folder, viewers):
    """Bytes for a frame, and the processor's time."""
    stream = Stream(verbcast, folder, "--open", listen="verbs://:7424")
    for _ in range(viewers):
        stream.view(f"verbs://{address(1)}:7424")
    sender, _ = stream.finish()
    return sender["bytes_moved"] / sender["frames"], 1e3 * sender["cpu_seconds"] / sender["frames"]


def test(verbcast, folder, more, everything):
    lose(0)
    chunks = -(-FRAME_BYTES // 4048)
    for viewers in range(1, VIEWERS + 1) if everything else (1, VIEWERS) if more else (2,):
        packets, cpu, group = by_group(verbcast, folder, viewers)
        print(f"{viewers} viewers: the sender's device sent {packets:.1f} packets for a frame of {chunks} chunks, "
              f"{group['bytes'] / group['frames']:.0f} bytes; its processor took {cpu:.1f} ms", flush=True)
        assert packets <= chunks + 0.5, "the sender sends more to more viewers"
        if everything and viewers in (1, VIEWERS):
            singly, cpu = one_by_one(verbcast, folder, viewers)
            print(f"  one by one over verbs: {singly:.0f} bytes; {cpu:.1f} ms", flush=True)
            assert singly >= FRAME_BYTES * viewers, "what is sent one by one was not seen"
    for viewers, loss in ((1, 0.001), (4, 0.001), (1, 0.01), (4, 0.01)) if everything else ((2, 0.01),) if more else ():
        lose(loss)
        packets, _, group = by_group(verbcast, folder, viewers)
        print(f"{viewers} viewers, {loss:.1%} lost: {packets:.1f} packets for a frame, {lost()} were lost, "
              f"{group['requests']} requests, {group['bytes_repaired']} bytes written, {group['bytes_repeated']} repeated", flush=True)
        assert lost() > 0 or loss < 0.01 or viewers < VIEWERS, "nothing was lost"
    lose(0.01)
    environment = {"VERBCAST_KEY": "a secret that is long enough for both ends"}
    _, _, group = by_group(verbcast, folder, 2, ("--encrypt",), environment)
    print(f"2 viewers with a key, encrypted: exact, with {lost()} packets lost and {group['requests']} requests", flush=True)
    lose(0)
    test_both_ways(verbcast, folder)
    test_messages(verbcast, folder)
    if everything:
        test_device_leaves(verbcast, folder)


def test_both_ways(verbcast, folder):
    """A viewer without RDMA beside one with it, of the same sender."""
    stream = Stream(verbcast, folder, "--multicast", f"{GROUP}%e1", "--open")
    stream.view(f"multicast://{GROUP}%e2")
    stream.view(f"multicast://{GROUP}%e3?via=udp")
    run("rdma", "link", "delete", "rx4")
    stream.view(f"multicast://{GROUP}%e4")
    sender, got = stream.finish()
    run("rdma", "link", "add", "rx4", "type", "rxe", "netdev", "e4")
    ways = [one["multicast"]["datagrams_by_rdma"] > 0 for one in got]
    assert ways == [True, False, False], f"by RDMA: {ways}"
    assert 0 < sender["multicast"]["frames_by_rdma"] < sender["multicast"]["frames"], sender["multicast"]
    assert "not by RDMA: no RDMA device leads to e4" in stream.others[2].text(), stream.others[2].text()
    assert "by RDMA, rx2 port 1, MTU 4096" in stream.others[0].text(), stream.others[0].text()
    print("one by RDMA, one by UDP, one without a device: exact", flush=True)


def test_device_leaves(verbcast, folder):
    """A viewer's first, then the sender's: who used it goes on by UDP."""
    stream = Stream(verbcast, folder, "--multicast", f"{GROUP}%e1", "--open", policy="latest")
    try:
        for number in (2, 3):
            stream.view(f"multicast://{GROUP}%e{number}", frames=None)
        for one in stream.others:
            one.wait_for("receiving")
        run("rdma", "link", "delete", "rx2")
        stream.others[0].wait_for("by UDP, e2; not by RDMA: .*rx2|not by RDMA: no RDMA device leads to e2")
        run("rdma", "link", "delete", "rx1")
        stream.sender.wait_for("has ended: the RDMA device rx1 was removed")
        stream.others[1].wait_for("by UDP, e3; not by RDMA: the sender: the RDMA device rx1 was removed")
        for one in stream.others:
            one.process.send_signal(signal.SIGINT)
            one.end()
            assert re.search(r"received [1-9]", one.text()), one.text()
    except AssertionError as failure:
        raise AssertionError(f"{failure}\nThe sender said:\n{stream.sender.text()}") from None
    finally:
        stream.kill()
    print("devices leave, and streams go on by UDP", flush=True)


def test_messages(verbcast, folder):
    for words, code, said in (
            (("send", "pattern", "--multicast", f"{GROUP}%lo?via=rdma"), 7, "no RDMA device leads to lo"),
            (("view", f"multicast://{GROUP}%lo?via=rdma", "--headless", "--wait", "1"), 7, "no RDMA device leads to lo"),
            (("view", f"multicast://{GROUP}%e2?via=ib", "--headless"), 2, "auto, udp or rdma expected")):
        one = Program((), verbcast, *words)
        try:
            assert one.end() == code, f"{words}: {one.process.returncode}, {code} expected:\n{one.text()}"
            assert said in one.text(), f"{words}: \"{said}\" is not said:\n{one.text()}"
        finally:
            one.kill()
    for sends, views, said in (("?via=rdma", "?via=udp", "it is sent by RDMA only (via=rdma)"),
                               ("?via=udp", "?via=rdma", "the sender's address says via=udp")):
        stream = Stream(verbcast, folder, "--multicast", f"{GROUP}%e1{sends}", "--open")
        try:
            stream.view(f"multicast://{GROUP}%e2{views}", "--once")
            assert stream.others[0].end() != 0, "it views"
            assert said in stream.others[0].text(), f"\"{said}\" is not said:\n{stream.others[0].text()}"
        finally:
            stream.kill()
    print("who gets nothing is told why", flush=True)


def main():
    # Programs would inherit that a script's "&" has SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    verbcast = os.path.abspath(sys.argv[1])
    os.environ.pop("VERBCAST_KEY", None)
    make_network()
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HOME"] = folder
            if sys.argv[2:] == ["devices"]:
                lose(0)
                test_device_leaves(verbcast, folder)
            else:
                test(verbcast, folder, sys.argv[2:] in (["more"], ["all"]), sys.argv[2:] == ["all"])
    except AssertionError as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)
    print("all is exact")


if __name__ == "__main__":
    main()
