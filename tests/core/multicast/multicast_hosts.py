#!/usr/bin/env python3
"""One sender and up to four viewers by multicast, each on a host of its own (a network namespace), behind a switch
that loses packets: what every viewer has is what was sent, and the sender sends it once.

  multicast_hosts.py VERBCAST [all] [inside]

By default three viewers, and two of which packets are lost; all: every number of viewers, and each with little and much
loss. Exits with 77 where namespaces or TAP devices are not allowed."""

import fcntl
import json
import os
import random
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

GROUP = "239.10.0.7:7423"
FRAMES = 24  # that each viewer takes
SIZE = "320x180"
FRAME_BYTES = 320 * 180 * 4
PATIENCE = 60  # seconds, for a machine that does much else
SKIP = 77


def run(*command, check=True):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done


class Switch:
    """Ethernet between hosts: a TAP device in each namespace, and a thread that passes frames on. It loses that share
    of the IP packets on their way to each host, chosen by a seed, and counts the bytes that each host sent."""

    def __init__(self, hosts):
        self.names = [f"mc-{os.getpid()}-{number}" for number in range(hosts)]
        self.loss, self.sent, self.lost = 0.0, [0] * hosts, 0
        self._random = random.Random(7)
        self._taps = []
        self._stop_read, self._stop_write = os.pipe()
        self._thread = threading.Thread(target=self._pass_on, daemon=True)

    def __enter__(self):
        try:
            for number, name in enumerate(self.names):
                run("ip", "netns", "add", name)
                tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
                self._taps.append(tap)
                fcntl.ioctl(tap, 0x400454CA, struct.pack("16sH22x", b"mc%d" % number, 0x1002))  # TUNSETIFF, TAP, no info
                run("ip", "link", "set", f"mc{number}", "netns", name)
                for words in (("link", "set", "lo", "up"), ("link", "set", f"mc{number}", "name", "eth0"),
                              ("addr", "add", f"10.79.0.{number + 1}/24", "dev", "eth0"), ("link", "set", "eth0", "up"),
                              ("link", "set", "eth0", "txqueuelen", "4000")):
                    run("ip", "-n", name, *words)
        except OSError:
            self.__exit__()
            raise
        self._thread.start()
        return self

    def __exit__(self, *_):
        os.write(self._stop_write, b".")
        if self._thread.is_alive():
            self._thread.join()
        for tap in self._taps:
            os.close(tap)
        for name in self.names:
            run("ip", "netns", "del", name, check=False)

    def on(self, number):
        return ("ip", "netns", "exec", self.names[number])

    def _pass_on(self):
        waits = select.poll()
        for descriptor in (*self._taps, self._stop_read):
            waits.register(descriptor, select.POLLIN)
        numbers = {tap: number for number, tap in enumerate(self._taps)}
        while True:
            for descriptor, _ in waits.poll():
                if descriptor == self._stop_read:
                    return
                for _ in range(64):
                    try:
                        frame = os.read(descriptor, 70000)
                    except BlockingIOError:
                        break
                    self._deliver(numbers[descriptor], frame)

    def _deliver(self, origin, frame):
        is_ip = frame[12:14] == b"\x08\x00"
        self.sent[origin] += len(frame) if is_ip else 0
        for number, tap in enumerate(self._taps):
            # What is for one host alone goes there alone: by its address, as IP has it.
            if number == origin or (is_ip and frame[30] < 224 and frame[30:34] != bytes((10, 79, 0, number + 1))):
                continue
            if is_ip and self._random.random() < self.loss:
                self.lost += 1
                continue
            try:
                os.write(tap, frame)
            except OSError:
                self.lost += 1


class Netem:
    """The same by the kernel: a bridge and veth cables, where it has netem."""

    def __init__(self, hosts):
        self.names = [f"mc-{os.getpid()}-{number}" for number in range(hosts)]
        self._bridge = f"mc-{os.getpid()}-bridge"
        self._loss = 0.0

    def __enter__(self):
        try:
            for name in (self._bridge, *self.names):
                run("ip", "netns", "add", name)
                run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "-n", self._bridge, "link", "add", "bridge0", "type", "bridge", "forward_delay", "0", "mcast_snooping", "0")
            run("ip", "-n", self._bridge, "link", "set", "bridge0", "up")
            for number, name in enumerate(self.names):
                run("ip", "link", "add", f"port{number}", "netns", self._bridge, "type", "veth", "peer", "name", "eth0", "netns", name)
                run("ip", "-n", self._bridge, "link", "set", f"port{number}", "master", "bridge0", "up")
                run("ip", "-n", name, "addr", "add", f"10.79.0.{number + 1}/24", "dev", "eth0")
                run("ip", "-n", name, "link", "set", "eth0", "gso_max_segs", "1", "up")  # each datagram may be lost by itself
            self.loss = 0.5
            self.loss = 0
        except OSError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in (self._bridge, *self.names):
            run("ip", "netns", "del", name, check=False)

    def on(self, number):
        return ("ip", "netns", "exec", self.names[number])

    @property
    def loss(self):
        return self._loss

    @loss.setter
    def loss(self, loss):
        self._loss = loss
        for number in range(len(self.names)):
            where = ("-n", self._bridge, "qdisc")
            run("tc", *where, "del", "dev", f"port{number}", "root", check=False)
            if loss:
                run("tc", *where, "add", "dev", f"port{number}", "root", "netem", "loss", f"{loss:.3%}", "limit", "100000")

    @property
    def sent(self):
        return [json.loads(run("ip", "-n", name, "-s", "-j", "link", "show", "eth0").stdout)[0]["stats64"]["tx"]["bytes"]
                for name in self.names[:1]]

    @property
    def lost(self):
        """Since the loss was set."""
        said = run("tc", "-n", self._bridge, "-s", "qdisc", "show").stdout
        return sum(int(count) for count in re.findall(r"dropped (\d+)", said))


def network(hosts):
    """With netem, or with a switch of our own; entered."""
    try:
        return Netem(hosts).__enter__()
    except OSError:
        return Switch(hosts).__enter__()


class Program:
    def __init__(self, host, *words, environment=None):
        self.said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([*host, *words], stderr=self.said, stdout=subprocess.DEVNULL,
                                        env={**os.environ, **(environment or {})})

    def text(self):
        self.said.seek(0)
        return self.said.read()

    def wait_for(self, pattern):
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, self.text()):
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"\"{pattern}\" was not said, but:\n{self.text()}")
            time.sleep(0.02)

    def end(self):
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"it does not end, and said:\n{self.text()}") from None

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def sums(path):
    """pts and MD5 of each frame."""
    with open(path, encoding="ascii") as lines:
        return [tuple(line.strip().split(",")[1:]) for line in lines if line[0].isdigit()]


def stream(verbcast, switch, viewers, loss, folder, options=(), view_options=(), environment=None, group=GROUP, policy="lossless"):
    """Sends until each of so many viewers has FRAMES frames; gives what the sender's host sent
    beside what it had to send again, in bytes for a frame."""
    switch.loss = loss
    sent_file = os.path.join(folder, "sent")
    listed = []
    sender = Program(switch.on(0), verbcast, "send", "pattern:noise", "--size", SIZE, "--fps", "30", "--policy", policy,
                     "--multicast", f"{group}%eth0", "--listen", "tcp://:7423", "--frame-md5", sent_file,
                     "--stats-json", f"{sent_file}.json",
                     *(() if environment else ("--open",)), *options, environment=environment)
    others = []
    try:
        sender.wait_for("waiting for a viewer")
        before = switch.sent[0]
        for number in range(1, viewers + 1):
            listed.append(os.path.join(folder, f"got-{number}"))
            others.append(Program(switch.on(number), verbcast, "view", f"multicast://{group}%eth0", "--headless", "--frames",
                                  str(FRAMES), "--frame-md5", listed[-1], *view_options, environment=environment))
        for one in others:
            code = one.end()
            assert code == 0, f"it ended with {code} and said:\n{one.text()}\nThe sender said:\n{sender.text()}"
        left = switch.sent[0] - before
        sender.process.send_signal(signal.SIGINT)
        sender.end()
    finally:
        for one in [*others, sender]:
            one.kill()
    sent = sums(sent_file)
    for path in listed:
        got = sums(path)
        assert len(got) == FRAMES, f"{path}: {len(got)} frames"
        if policy == "latest":  # some may be missing; those that are there are what was sent
            places = [sent.index(frame) if frame in sent else -1 for frame in got]
            assert places[0] >= 0 and places == sorted(set(places)), f"{path}: these are not frames that were sent, in order"
            continue
        first = sent.index(got[0]) if got[0] in sent else -1  # who came later begins later
        assert first >= 0 and got == sent[first:first + FRAMES], f"{path}: these are not the frames that were sent"
    with open(f"{sent_file}.json", encoding="utf-8") as file:
        group = json.load(file)["multicast"]
    # Who came late for a frame, as viewers on a busy machine do, gets it alone.
    again = group["bytes_repaired"] + group["bytes_repeated"]
    return (left - 1.05 * again) / group["frames"]


def forge(address):
    """What a stranger in the group can do, until killed: says each announcement again, and changed, as if it were its
    own; of chunks with a proof, says some again with a byte changed."""
    group, port = GROUP.split(":")
    port = int(port)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mouth:
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ear.bind((group, port))
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + socket.inet_aton(address))
        ear.settimeout(0.2)
        mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
        mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
        chance = random.Random(11)

        def changed(datagram):
            at = chance.randrange(6, len(datagram))
            return datagram[:at] + bytes([datagram[at] ^ 1 << chance.randrange(8)]) + datagram[at + 1:]

        beacon, said = b"", 0.0
        print("forging", file=sys.stderr, flush=True)
        while True:
            try:
                heard = ear.recv(65536)
            except TimeoutError:
                heard = b""
            if heard[5:6] == b"\x02":
                beacon = heard
            elif len(heard) > 40 and heard[6:8] != b"\0\0" and chance.random() < 0.1:
                mouth.sendto(changed(heard), (group, port))
            if beacon and time.monotonic() - said > 0.2:
                said = time.monotonic()
                for datagram in (beacon, *(changed(beacon) for _ in range(4))):
                    mouth.sendto(datagram, (group, port))


def test(verbcast, switch, folder, everything):
    for_viewers = {}
    for viewers in (1, 2, 3, 4) if everything else (1, 3):
        for_viewers[viewers] = stream(verbcast, switch, viewers, 0, folder)
        print(f"{viewers} viewers, no loss: the sender sent {for_viewers[viewers]:.0f} bytes for a frame", flush=True)
    assert for_viewers[1] > FRAME_BYTES * 0.8, "frames were not seen on their way"
    # What a viewer more costs is its session, some hundred bytes for a frame.
    assert max(for_viewers.values()) < FRAME_BYTES * 1.15, "the sender sends more to more viewers"
    for viewers, loss in ((1, 0.001), (4, 0.001), (1, 0.01), (4, 0.01)) if everything else ((2, 0.01),):
        before = 0 if isinstance(switch, Netem) else switch.lost
        took = stream(verbcast, switch, viewers, loss, folder)
        lost = switch.lost - before
        print(f"{viewers} viewers, {loss:.1%} lost: the sender sent {took:.0f} bytes for a frame, {lost} packets were lost",
              flush=True)
        assert lost > 0 or loss < 0.005, "nothing was lost"
    forger = Program(switch.on(3), sys.executable, "-B", __file__, "forge", "10.79.0.4")
    try:
        forger.wait_for("forging")
        test_among_strangers(verbcast, switch, folder, everything)
        assert forger.process.poll() is None, f"the stranger has given up: {forger.text()}"
    finally:
        forger.kill()
    test_messages(verbcast, switch)


def test_among_strangers(verbcast, switch, folder, everything):
    """What comes from none of the hosts changes nothing: announcements, and with a key chunks, too."""
    viewers = 2 if everything else 1
    stream(verbcast, switch, viewers, 0.03, folder, policy="latest")
    print(f"{viewers} viewers, 3.0% lost, latest: whole frames, in order", flush=True)
    environment = {"VERBCAST_KEY": "a secret that is long enough for both ends"}
    for options in ((), ("--encrypt",)) if everything else (("--encrypt",),):
        stream(verbcast, switch, 2, 0.005, folder, options=options, view_options=options, environment=environment)
        print(f"with a key {' '.join(options)}: exact", flush=True)


def test_messages(verbcast, switch):
    """Bad input is named."""
    switch.loss = 0
    first = Program(switch.on(0), verbcast, "send", "pattern", "--multicast", f"{GROUP}%eth0", "--listen", "tcp://:7423", "--open", "--name", "first")
    others = [first]
    try:
        first.wait_for("waiting for a viewer")
        second = Program(switch.on(1), verbcast, "send", "pattern", "--multicast", f"{GROUP}%eth0", "--listen", "tcp://:7424")
        others.append(second)
        second.wait_for(r"first \(10\.79\.0\.1\) says that it also sends to 239\.10\.0\.7:7423")
        first.wait_for(r"10\.79\.0\.2\) says that it also sends to 239\.10\.0\.7:7423")
        for words, code, said in (
                (("view", f"multicast://{GROUP}%eth7", "--headless", "--wait", "1"), 4, "no interface eth7"),
                (("view", "multicast://239.99.0.1%eth0", "--headless", "--wait", "1"), 4, "no sender announces"),
                (("view", "multicast://10.0.0.1", "--headless"), 2, "not a multicast group"),
                (("view", "--listen", f"multicast://{GROUP}", "--headless"), 2, "nobody connects to a group"),
                (("send", "pattern", "--multicast", "wall"), 2, "not a multicast group"),
                (("send", "pattern", "--multicast", GROUP, "--to", "tcp://10.79.0.1"), 2, "leave out --to"),
                (("send", "pattern", "--ttl", "3"), 2, "--ttl is now")):
            one = Program(switch.on(2), verbcast, *words)
            others.append(one)
            assert one.end() == code, f"{words}: {one.process.returncode}, {code} expected:\n{one.text()}"
            assert said in one.text(), f"{words}: \"{said}\" is not said:\n{one.text()}"
    finally:
        for one in others:
            one.kill()


def main():
    if sys.argv[1] == "forge":
        forge(sys.argv[2])
    # Programs would inherit that a script's "&" has SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    verbcast = os.path.abspath(sys.argv[1])
    everything = "all" in sys.argv[2:]
    if sys.argv[-1] != "inside":
        alone = ["unshare", "--net", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net", "--mount"]
        script = 'mount -t tmpfs tmpfs /run && exec "$0" "$@"'
        if run(*alone, "true", check=False).returncode != 0:
            print("network namespaces are not allowed here")
            sys.exit(SKIP)
        os.execvp(alone[0], [*alone, "bash", "-c", script, sys.executable, "-B", __file__, verbcast,
                               *(["all"] if everything else []), "inside"])
    os.environ.pop("VERBCAST_KEY", None)
    try:
        switch = network(5 if everything else 4)
        print("packets are lost by", "netem" if isinstance(switch, Netem) else "a switch of our own", flush=True)
    except OSError as error:
        print(f"no hosts can be made here: {error}")
        sys.exit(SKIP)
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HOME"] = folder
            test(verbcast, switch, folder, everything)
    except AssertionError as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)
    finally:
        switch.__exit__()
    print("all is exact")


if __name__ == "__main__":
    main()
