#!/usr/bin/env python3
"""Runs suites in one boot of tests/support/guest, one after another, and says what each took.

  one_boot.py GUEST CACHE PLAN VERBCAST [NAME...]

GUEST is tests/support/guest, CACHE its cache. A line of PLAN is a suite's name, a tab, and the command; those with these
NAMES run, or all. The suites "displays" and "displays_further" are looked at from here: tests/kms. In the commands, $python is an interpreter that
starts quickly. Fails if a suite fails, skips a test or has none, and names it."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kms"))
import kms_test  # noqa: E402

LIMIT = 1700  # seconds; a busy machine is slow
# In this order: kms_test expects virtio_gpu's card to be the first.
MODULES = "virtio_gpu vgem vivid:n_devs=3:allocators=0,1,0:multiplanar=1,1,2 veth bridge sch_netem"
LEFT_OUT = re.compile(r"SKIPPED|NOT TESTED|Running 0 tests|^guest: ")


def processor_seconds(process):
    """Of all that the process started and that still runs: QEMU."""
    parents, ticks = {}, {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has just ended
            continue
        parents[int(stat.parent.name)], ticks[int(stat.parent.name)] = int(fields[1]), int(fields[11]) + int(fields[12])

    def is_ours(pid):
        while pid in parents and pid != process:
            pid = parents[pid]
        return pid == process
    return sum(ticks[pid] for pid in ticks if is_ours(pid)) / os.sysconf("SC_CLK_TCK")


class Guest:
    def __init__(self):
        self.process, self.again = None, []

    def start(self, guest, cache, displays, *command):
        # An interpreter in place of a script that looks for one, and without packages of this machine.
        environment = {**os.environ, "VERBCAST_REQUIRE_RDMA": "1", "python": f"{os.path.realpath(sys.executable)} -S -B",
                       "displays": str(displays)}
        self.process = subprocess.Popen(
            [guest, "-t", str(LIMIT), "--cache", cache, "--nodes", "--modules", MODULES, "--displays", displays, "--", *command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment)

    def line(self):
        """The next line that the guest says; None at its end."""
        if self.again:
            return self.again.pop()
        line = self.process.stdout.readline()
        if not line:
            return None
        print(line, end="", flush=True)
        return line.rstrip("\n")

    def unread(self, line):
        self.again.append(line)


class Suite:
    def __init__(self, name, guest):
        self.name, self.guest = name, guest
        self.tests, self.faults = 0, []
        self.begin = self.now()

    def now(self):
        return time.monotonic(), processor_seconds(self.guest.process.pid)

    def run(self, look):
        """Reads on to its end. `look` is what is done here meanwhile."""
        try:
            look()
        except Exception as error:  # pylint: disable=broad-except
            self.faults.append(f"{type(error).__name__}: {error}")
        ending = f"suite: {self.name} ended with "
        while (line := self.guest.line()) is not None and not line.startswith(ending):
            if LEFT_OUT.search(line):
                self.faults.append(line)
            if tests := re.match(r"\[=+\] Running (\d+) tests?", line):
                self.tests += int(tests[1])
        self.end = self.now()
        if line is None:
            self.faults.append("the guest ended before it")
        elif line != ending + "0":
            self.faults.append(f"exit code {line.removeprefix(ending)}")

    def told(self):
        wall, processor = (end - begin for begin, end in zip(self.begin, self.end))
        tests = f"{self.tests} tests" if self.tests else ""
        verdict = f"FAILED ({'; '.join(self.faults[:3])})" if self.faults else "passed"
        return f"  {self.name:16}{tests:>12} {wall:6.1f} s, {processor:6.1f} s of processors   {verdict}"


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    program, cache, plan, verbcast = sys.argv[1:5]
    names = sys.argv[5:]
    planned = [line.split("\t")[0] for line in pathlib.Path(plan).read_text().splitlines()]
    expected = [name for name in planned if not names or name in names]
    os.makedirs(cache, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # by way of what follows
    suites = []
    with tempfile.TemporaryDirectory(prefix="displays-", dir=cache) as folder:
        displays = pathlib.Path(folder).resolve()
        guest = Guest()
        looks = {name: kms_test.Test(guest, displays, verbcast, further=name == "displays_further").run
                 for name in expected if name.startswith("displays")}
        guest.start(program, cache, displays, HERE / "run_suites", plan, *names)
        try:
            while (line := guest.line()) is not None:
                if line.startswith("suite: "):
                    suites.append(Suite(line.removeprefix("suite: "), guest))
                    suites[-1].run(looks.get(suites[-1].name, lambda: None))
            code = guest.process.wait()
        finally:
            guest.process.terminate()
            guest.process.wait()
    print("\nSuites in one guest:", *(suite.told() for suite in suites), sep="\n")
    failed = [suite.name for suite in suites if suite.faults]
    failed += [] if suites else ["no suite ran"]
    failed += [f"{name} (did not run)" for name in expected if name not in {suite.name for suite in suites}]
    if failed or code:
        sys.exit(f"FAILED: {', '.join(failed) or f'the guest, with {code}'}")


if __name__ == "__main__":
    main()
