"""The verbcast program as the fault suites run it: every line that it writes, with the moment at which it came."""

import collections
import ctypes
import os
import re
import signal
import subprocess
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VERBCAST = os.environ.get("VERBCAST_PROGRAM", os.path.join(ROOT, "build/test/verbcast"))

# Only a failure waits so long; a guest's emulated processor is slow.
PATIENCE = 60.0

# A frame as --frame-md5 lists it. `sequence` counts anew in each sender, `pts` names the picture.
Frame = collections.namedtuple("Frame", "at sequence pts md5")
Line = collections.namedtuple("Line", "at text")


class Failure(Exception):
    """A program did not do what the suite waits for."""


def _die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Program:
    """Started at once; killed by its pid at the end of a `with`. `frames` and `lines` grow as it writes."""

    def __init__(self, *arguments, environment=None, prefix=(), limit=None, input_file=None, discard=False):
        self.arguments = [str(argument) for argument in arguments]
        self.frames, self.lines = [], []
        self._change = threading.Condition()
        started = {"VERBCAST_LOG": "session:debug,stream:debug", "LC_ALL": "C"}
        self.started_at = time.monotonic()
        with open(input_file or os.devnull, "rb") as source:
            self.process = subprocess.Popen(
                [*prefix, VERBCAST, *self.arguments], stdin=source,
                stdout=subprocess.DEVNULL if discard else subprocess.PIPE, stderr=subprocess.PIPE,
                env={**os.environ, **started, **(environment or {})}, preexec_fn=limit or _die_with_parent)
        self._readers = [threading.Thread(target=self._read, args=(pipe, take), daemon=True)
                         for pipe, take in ((self.process.stdout, self._take_frame),
                                            (self.process.stderr, self._take_line)) if pipe]
        for reader in self._readers:
            reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    @property
    def pid(self):
        return self.process.pid

    def _read(self, pipe, take):
        for raw in pipe:
            at = time.monotonic()
            with self._change:
                take(at, raw.decode(errors="replace").rstrip("\n"))
                self._change.notify_all()
        with self._change:
            self._change.notify_all()

    def _take_frame(self, at, text):
        parts = text.split(",")
        if len(parts) == 4 and parts[0].isdigit():
            self.frames.append(Frame(at, int(parts[0]), int(parts[1]), parts[3]))

    def _take_line(self, at, text):
        self.lines.append(Line(at, text))

    def _wait(self, find, what, patience):
        deadline = time.monotonic() + patience
        with self._change:
            while (found := find()) is None:
                left = deadline - time.monotonic()
                if left <= 0 or (self.process.poll() is not None and not self._reading()):
                    raise Failure(f"verbcast {' '.join(self.arguments)}: no {what} within {patience:.0f} s\n{self.said()}")
                self._change.wait(min(left, 0.2))
            return found

    def _reading(self):
        return any(reader.is_alive() for reader in self._readers)

    def wait_line(self, pattern, since=0.0, patience=PATIENCE):
        """The first line after `since` that matches: (Line, match)."""
        wanted = re.compile(pattern)

        def find():
            # From the end: only the last lines are younger than `since`.
            found = None
            for line in reversed(self.lines):
                if line.at <= since:
                    break
                match = wanted.search(line.text)
                found = (line, match) if match else found
            return found
        return self._wait(find, f"line with '{pattern}'", patience)

    def wait_frame(self, since=0.0, accept=lambda frame: True, patience=PATIENCE):
        """The first frame after `since` that `accept` accepts."""
        def find():
            found = None
            for frame in reversed(self.frames):
                if frame.at <= since:
                    break
                found = frame if accept(frame) else found
            return found
        return self._wait(find, "frame", patience)

    def address(self, since=0.0):
        """Where it waits for others."""
        return self.wait_line(r"waiting for a (?:viewer|sender|receiver) on (\S+?),?(?:\s|$)", since)[1].group(1)

    def said(self, lines=20):
        return "\n".join(f"  | {line.text}" for line in self.lines[-lines:])

    def signal(self, number):
        self.process.send_signal(number)
        return time.monotonic()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.end()

    def end(self, patience=PATIENCE):
        """The exit status, negative for a signal's, once everything that it wrote has been read."""
        try:
            status = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            raise Failure(f"verbcast {' '.join(self.arguments)}: runs on after {patience:.0f} s\n{self.said()}") from None
        for reader in self._readers:
            reader.join(5)
        return status

    def interrupt(self):
        """As Ctrl-C does."""
        self.signal(signal.SIGINT)
        return self.end()

    def footprint(self):
        """What it holds at this moment: descriptors, threads, mappings of shared and of locked memory."""
        status = _fields(f"/proc/{self.pid}/status")
        with open(f"/proc/{self.pid}/maps", encoding="utf-8", errors="replace") as maps:
            rings = sum("memfd:" in line or "/dev/zero" in line for line in maps)
        return {"descriptors": len(os.listdir(f"/proc/{self.pid}/fd")),
                "threads": int(status["Threads"]), "rings": rings,
                "pinned_kib": int(status["VmPin"].split()[0]), "locked_kib": int(status["VmLck"].split()[0]),
                "resident_kib": int(status["VmRSS"].split()[0])}


def _fields(path):
    with open(path, encoding="utf-8") as file:
        return dict(line.split(":", 1) for line in file if ":" in line)


def send(source, *arguments, **options):
    """A sender that lists what it sends."""
    return Program("send", source, "--frame-md5", "-", *arguments, **options)


def view(*arguments, **options):
    """A viewer without a window that lists what it receives."""
    return Program("view", "--headless", "--frame-md5", "-", *arguments, **options)


def shared_names():
    """Names of shared memory and of Unix sockets that verbcast has left or uses, in this network namespace."""
    names = {name for name in os.listdir("/dev/shm") if "verbcast" in name}
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as sockets:
        names |= {line.split()[-1] for line in sockets if "verbcast" in line}
    return names


def children_of(pid):
    """Processes that have it as their parent."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                    if int(stat.read().rsplit(")", 1)[1].split()[1]) == pid:
                        found.append(int(entry))
            except OSError:
                pass
    return found
