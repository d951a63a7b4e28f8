"""Each call of the C library and each allocation of a program fails once: it copes or says why it ends."""

import contextlib
import ctypes
import os
import signal
import tempfile
import time

import program
from figures import Result
from stream import listening_address

LIBRARY = os.environ.get("VERBCAST_FAILING_CALLS", os.path.join(program.ROOT, "build/test/tests/faults/libfailing_calls.so"))
PICTURE = ("--size", "64x36", "--fps", "max", "--frames", "20")
PATIENCE = 20.0
DOCUMENTED = set(range(8)) | {9, 130, 141}


class Scenario:
    """Programs that meet at addresses, in the order of their start. `target` is the one whose calls fail."""

    def __init__(self, name, target, *steps, key=None):
        self.name, self.target, self.steps = name, target, steps
        self._everybody = {"VERBCAST_KEY": key} if key else {}

    def play(self, environment):
        """Gives the target, and what it and the others did wrong."""
        addresses, faults, programs = {}, [], []
        with contextlib.ExitStack() as running:
            for number, step in enumerate(self.steps):
                arguments = [addresses.setdefault(word, listening_address(word[1:])) if word[0] == "@" else word for word in step]
                pipe = step[0] == "pipe"
                one = running.enter_context(program.Program(
                    *arguments, environment={**self._everybody, **(environment if number == self.target else {})},
                    input_file=program.VERBCAST if pipe else None, discard=pipe))
                programs.append(one)
                if "--listen" in step:
                    try:
                        one.wait_line("waiting for|connecting to|: ", patience=PATIENCE)
                    except program.Failure:
                        break  # what never listened has nobody to meet
            faults += self._ends(programs)
            faults += _torn(programs)
        return programs[self.target] if len(programs) > self.target else None, faults

    def _ends(self, programs):
        """Waits for all ends. Once one has failed the others may rightly wait for the next peer: they are told to stop."""
        faults, running, told = [], list(programs), set()
        deadline = time.monotonic() + PATIENCE
        while running and time.monotonic() < deadline:
            ended = next((one for one in running if one.process.poll() is not None), None)
            if ended is None:
                time.sleep(0.01)
                continue
            running.remove(ended)
            status = ended.end()
            if status not in (0, 130):
                deadline = time.monotonic() + PATIENCE
                for other in running:
                    other.signal(signal.SIGINT)
                    told.add(other)
            # Who is told to stop while it starts has no handler yet.
            if not (ended in told and status == -signal.SIGINT):
                faults += _judge(ended, status, ended is programs[self.target])
        return faults + [f"{' '.join(one.arguments[:2])} hangs" for one in running]


def _judge(one, status, target):
    who = " ".join(one.arguments[:2])
    if status < 0:
        return [f"{who} dies of signal {-status}"]
    if status not in DOCUMENTED:
        return [f"{who} ends with {status}"]
    if status not in (0, 130) and not any("verbcast" in line.text for line in one.lines):
        return [f"{who} ends with {status} without a word"]
    if target and any("internal error" in line.text for line in one.lines):
        return [f"{who}: {next(line.text for line in one.lines if 'internal error' in line.text)}"]
    return []


def _torn(programs):
    sent = {(frame.pts, frame.md5) for one in programs for frame in one.frames if one.arguments[0] == "send"}
    received = {(frame.pts, frame.md5) for one in programs for frame in one.frames if one.arguments[0] == "view"}
    return [f"the frame at {pts} arrives torn ({md5})" for pts, md5 in sorted(received - sent)]


def _stream(transport, encrypted=False):
    at = f"@{transport}"
    sender = ("send", "pattern:counter", *PICTURE, "--once", "--frame-md5", "-", "--policy", "lossless", "--listen", at)
    viewer = ("view", "--headless", "--once", "--frame-md5", "-", at, *(["--encrypt"] if encrypted else []))
    key = "0123456789abcdef" * 4 if encrypted else None
    for target, role in enumerate(("send", "view")):
        yield Scenario(f"{role}, {transport}{', encrypted' if encrypted else ''}", target, sender, viewer, key=key)


def scenarios():
    for transport in ("tcp", "shm", "ofi"):
        yield from _stream(transport)
    yield from _stream("tcp", encrypted=True)
    yield Scenario("relay, tcp to shm", 1,
                   ("send", "pattern:counter", *PICTURE, "--once", "--frame-md5", "-", "--policy", "lossless", "--listen", "@tcp"),
                   ("relay", "@tcp", "--once", "--listen", "@shm"),
                   ("view", "--headless", "--once", "--frame-md5", "-", "@shm"))
    receiving, sending = ("pipe", "recv", "--listen", "@tcp", "--checksum", "xxh3"), ("pipe", "send", "@tcp")
    yield Scenario("pipe recv, tcp", 0, receiving, sending)
    yield Scenario("pipe send, tcp", 1, receiving, sending)


def _environment(record, failing=""):
    return {"LD_PRELOAD": LIBRARY, "VERBCAST_FAULTS_SITES": record, "VERBCAST_FAULTS_FAIL": failing}


def _record(scenario, path):
    """Each call that can fail: (function, place, count of calls)."""
    _, faults = scenario.play(_environment(path))
    if faults:
        raise program.Failure(f"{scenario.name}: fails by itself: {faults}")
    with open(path, encoding="ascii") as file:
        words = [line.split() for line in file]
    return sorted({(function, place): int(count) for word, function, place, count in words if word == "site"}.items())


def _choose(sites, every, random):
    """The first call of a site, and one of its later ones."""
    calls = []
    for (function, place), count in sites:
        calls.append((function, place, 1))
        if count > 1:
            calls.append((function, place, random.randint(2, count)))
    return calls[::every]


def failing_calls(scenario, every, random):
    """Fails every `every`th of them, one in each run."""
    result = Result(f"each call fails once: {scenario.name}")
    if not os.path.exists(LIBRARY):
        result.skipped = f"{LIBRARY} is missing: cmake --build --preset test --target failing_calls"
        return result
    ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: what the programs leave becomes ours
    reached = 0
    with tempfile.TemporaryDirectory() as folder:
        sites = _record(scenario, os.path.join(folder, "sites"))
        for number, call in enumerate(_choose(sites, every, random)):
            path = os.path.join(folder, f"run{number}")
            failing = " ".join(str(part) for part in call)
            target, faults = scenario.play(_environment(path, failing))
            with open(path, encoding="ascii") as file:
                reached += any(line.startswith("failed") for line in file)
            left = program.children_of(os.getpid())
            if left:
                faults.append("leaves a child process")
                for pid in left:
                    os.kill(pid, 9)
                    os.waitpid(pid, 0)
            for fault in faults:
                result.fault(f"{fault} when {failing} fails")
                print(f"\n  {fault} when {failing} fails\n{target.said(5) if target else ''}", end="", flush=True)
            result.trials += 1
    result.note = f"{len(sites)} sites, {reached} failures reached"
    return result
