"""What the machine lacks or does: disk, memory, the time of day, a viewer that is slow."""

import hashlib
import os
import re
import resource
import signal
import subprocess
import tempfile
import time

import program
from deaths import RECOVER_GOAL, finish
from figures import Result
from stream import ENDED, Stream, listening_address

HOUR = 3600


def pauses(viewer, begun, ended):
    """The times between a viewer's frames, the ends of the stretch included."""
    moments = [begun, *(frame.at for frame in viewer.frames if begun < frame.at < ended), ended]
    return [after - before for before, after in zip(moments, moments[1:])]


def disk_full(trials, _random):
    """A recording that fills its disk ends with exit code 5 and the file's name; what is in the file is whole; sender
    and other viewers go on."""
    result = Result("disk full while recording")
    for _ in range(trials):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder], check=True)
            try:
                _record_until_full(os.path.join(folder, "recording.raw"), result)
            finally:
                subprocess.run(["umount", folder], check=True)
        result.trials += 1
    result.judge(recover_goal=RECOVER_GOAL)
    return result


def _record_until_full(path, result):
    with Stream(listening_address("tcp")) as stream:
        stream.start_sender()
        stream.start_viewer()
        watching = stream.viewer
        watching.wait_frame()
        begun = time.monotonic()
        with program.Program("view", "--headless", stream.address, "--output", path) as recorder:
            status = recorder.end()
        time.sleep(0.5)
        result.recover.append(max(pauses(watching, begun, time.monotonic())))
        if status != 5:
            result.fault(f"the recorder ended with {status}, not 5")
        if path not in recorder.said():
            result.fault("the recorder did not name its file")
        finish(stream, result)
        sums = {frame.md5 for frame in stream.sender.frames}
        size = 320 * 180 * 4
        with open(path, "rb") as file:
            while len(picture := file.read(size)) == size:
                result.torn += hashlib.md5(picture).hexdigest() not in sums


def clock_stepped(trials, _random):
    """The time of day jumps by an hour, both ways. Nothing in a stream may depend on it."""
    result = Result("clock stepped by an hour, tcp and shm")
    with Stream(listening_address("tcp")) as one, Stream(listening_address("shm")) as other:
        for stream in (one, other):
            stream.start_sender()
            stream.start_viewer()
            stream.viewer.wait_frame()
        time.sleep(1)
        for trial in range(trials):
            begun = time.monotonic()
            now = time.clock_gettime(time.CLOCK_REALTIME)
            time.clock_settime(time.CLOCK_REALTIME, now + (HOUR if trial % 2 == 0 else -HOUR))
            time.sleep(1.5)
            result.recover += [max(pauses(stream.viewer, begun, time.monotonic())) for stream in (one, other)]
            result.trials += 1
        for stream in (one, other):
            if any(re.search(ENDED, line.text) for line in stream.viewer.lines):
                result.fault("a connection ended")
            finish(stream, result)
    result.judge(recover_goal=RECOVER_GOAL)
    return result


def memory_short(trials, random):
    """Less address space than the program needs, in many steps: it works, or ends with a documented code and says why.
    The other end is not disturbed and serves the next one."""
    result = Result("memory nearly full (ulimit -v)")
    for role in ("viewer", "sender"):
        needed = _address_space(role)
        for _ in range(trials):
            limit = int(needed * random.uniform(0.3, 1.05))
            _short_of_memory(role, limit, result)
            result.trials += 1
    result.judge()
    return result


def _limited(bytes_):
    def limit():
        program._die_with_parent()
        resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))
    return limit


def _address_space(role):
    with Stream(listening_address("tcp")) as stream:
        stream.start_sender()
        stream.start_viewer()
        stream.viewer.wait_frame()
        one = stream.viewer if role == "viewer" else stream.sender
        with open(f"/proc/{one.pid}/status", encoding="utf-8") as status:
            peak = next(line for line in status if line.startswith("VmPeak"))
        return int(peak.split()[1]) * 1024


def _short_of_memory(role, limit, result):
    options = {"limit": _limited(limit)}
    with Stream(listening_address("tcp")) as stream:
        if role == "viewer":
            stream.start_sender()
            one = program.view(stream.address, "--frames", 30, "--once", **options)
        else:
            one = program.send("pattern:counter", *stream.picture, "--listen", stream.address, "--frames", 30, "--once", **options)
            stream.senders.append(one)
            stream.start_viewer("--once", "--frames", 30)
        with one:
            if role == "sender":
                # A viewer that it could not serve has gone; it may wait for another one.
                deadline = time.monotonic() + 20
                while all(end.process.poll() is None for end in (one, stream.viewer)) and time.monotonic() < deadline:
                    time.sleep(0.05)
                time.sleep(0.5)
                if one.process.poll() is None:
                    one.signal(signal.SIGINT)
            status = one.end(20)
            said = [line.text for line in one.lines if line.text.strip()]
            # The loader has its own words and code for what it cannot map.
            if status not in (0, 1, 2, 3, 4, 5, 6, 7, 127, 130):
                result.fault(f"{role} with {limit >> 20} MiB ended with {status}: {said[-1:]}")
            elif status != 0 and not said:
                result.fault(f"{role} with {limit >> 20} MiB ended with {status} without a word")
            if role == "viewer":
                back = stream.start_viewer()
                result.recover.append(stream.viewer.wait_frame().at - back)
                finish(stream, result)


def slow_among_fast(transport, seconds, random):
    """One viewer is stopped and continued again and again, with pauses that are no loss. The others see nothing of it.
    `recover` is their longest pause."""
    result = Result(f"slow viewer among fast, {transport}, latest")
    with Stream(listening_address(transport)) as stream:
        stream.start_sender()
        for _ in range(3):
            stream.start_viewer()
            stream.viewer.wait_frame()
        slow, *fast = stream.viewers
        begun = time.monotonic()
        while time.monotonic() < begun + seconds:
            slow.signal(signal.SIGSTOP)
            time.sleep(random.uniform(0.3, 0.7))
            slow.signal(signal.SIGCONT)
            time.sleep(random.uniform(0.02, 0.1))
        ended = time.monotonic()
        for viewer in fast:
            times = pauses(viewer, begun, ended)
            result.recover.append(max(times))
            rate = len(times) / (ended - begun)
            result.note = f"fast ones at {rate:.1f} of 60 fps"
            if rate < 57:
                result.fault(f"a fast viewer got {rate:.1f} of 60 fps")
        result.trials = 1
        stream.sender.interrupt()
        for viewer in stream.viewers:
            viewer.interrupt()
        stream.check(result)
    result.judge(recover_goal=RECOVER_GOAL)
    return result
