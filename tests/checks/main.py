#!/usr/bin/env python3
"""Builds, and runs the tests: what scripts/test, which explains the options, does once all packages are there."""

import argparse
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time

import changes
import suites
from failures import Failures
from repeat import repeat
from work import LARGE_HEAP, Builder, Clock, Failure, Running, run, say, slowness

# Each stage of tests: the preset that builds them, and what CTest chooses of them.
PARTS = r"\.(part|thorough)[0-9]+$"
NOT_PROGRAMS = ("gui", "rdma", "faults", "package")
TESTS = {
    "programs": ("test", ()),
    "windows": ("test", ("-L", "^gui$")),
    "guests": ("test", ("-L", "^rdma$")),
    "address": ("asan", ("-R", PARTS + "|^TwoHosts")),
    "threads": ("tsan", ("-R", PARTS)),
    "faults": ("test", ("-L", "^faults$")),
    "package": ("test", ("-L", "^package$")),
}
EVERYDAY = ("style", "programs", "windows", "guests", "address", "threads", "fuzz", "tidy")
FURTHER = ("faults", "soak", "package")  # with --all, or when named
AFTER_A_SMALL_CHANGE = ("style", "programs", "windows", "address", "tidy")
# What a run without --all may take of the processors, compilers included: 40 minutes of two. On slow ones as much longer
# as they are slower, looked at between the stages, for a machine that is shared changes from minute to minute. Fast ones
# may not take longer either, but nor less: a short yardstick says too little of a whole run.
BUDGET = 40 * 60 * 2
TIDY_MINUTES = "3"  # of it for clang-tidy: a day's changes may be the whole tree
PROCESSORS = os.cpu_count()
SIDE_BY_SIDE = 2 * PROCESSORS + 1  # most tests wait for each other's programs more than they work
# What is left of ctest's words where nobody watches: what failed.
QUIET = re.compile(r"^ *$|^Test project|^ *Start +\d|Passed |^Total Test|^100% tests passed|^Label Time|sec\*proc")
COUNT = re.compile(r"\d+% tests passed, (\d+) tests failed out of (\d+)")


class Checks:
    def __init__(self, options, folders):
        self.options = options
        self.folders = folders  # those whose tests run after a small change, or None
        self.clock = Clock()
        self.builder = Builder()
        self.guests = None
        self.passed = self.failed = 0
        self.slowness = []
        self.failures = []
        self.failed_tests = Failures()

    def has_budget(self):
        """A whole everyday run."""
        return self.options.whole and not self.options.all and self.folders is None

    # What runs

    def arguments(self, stage):
        """CTest's, for the tests of a stage."""
        without = list(NOT_PROGRAMS) if stage in ("programs", "address") else []
        if self.folders is None:
            without.append("smoke")
        if not self.options.all and stage not in FURTHER:
            without.append("thorough")
        side_by_side = {"windows": PROCESSORS, "guests": 2, "faults": 1, "package": 1}.get(stage, SIDE_BY_SIDE)
        words = ["-C", "Whole", "--output-on-failure", "--timeout", "180", "-j", str(side_by_side), *TESTS[stage][1]]
        return words + (["-LE", f"^({'|'.join(without)})$"] if without else [])

    def wants(self, build):
        """After a small change: the tests of its folders, the transports' contract, and a look at each program."""
        if self.folders is None:
            return lambda test: True
        folders = {*self.folders, "core/transport"}
        return lambda test: suites.folder_of(test, build) in folders or "smoke" in suites.labels_of(test)

    def targets(self, preset):
        """Of the build: after a small change, the programs of the tests that then run."""
        if self.folders is None:
            return ["all" if self.options.all and preset != "tsan" else "everyday"]  # no other has tests in build/tsan
        build = pathlib.Path("build", preset).resolve()
        wanted = self.wants(build)
        stages = [stage for stage in AFTER_A_SMALL_CHANGE if stage in TESTS and TESTS[stage][0] == preset]
        programs = {pathlib.Path(test["command"][0]) for stage in stages
                    for test in suites.chosen(build, self.arguments(stage)).values() if wanted(test)}
        return sorted({program.name for program in programs if program.is_relative_to(build)}
                      | ({"programs"} if preset == "test" else set()))

    # Builds

    def builds(self, preset):
        """The commands of a build."""
        configure = ("cmake", "--preset", preset)
        # What a small change needs is known only to a build that is configured, which one that has passed is.
        more = ["verbcast_fuzz"] if preset == "asan" and "fuzz" in self.options.stages else []
        return [configure, ("cmake", "--build", "--preset", preset, "-j", str(PROCESSORS), "--target",
                            *self.targets(preset), *more)]

    def build(self, preset):
        say(f"\n== build/{preset} ({time.strftime('%T')})")
        for number, command in enumerate(self.builds(preset)):
            run(self.clock, f"build {preset}", command, log=f"build/build-{preset}{number}.log", environment=LARGE_HEAP)

    def begin_builds(self, presets):
        """Those of later stages, with the time that the tests of earlier ones leave."""
        def command(preset, number, words):
            log = f"build/build-{preset}{number}.log"
            pathlib.Path(log).unlink(missing_ok=True)
            return lambda: Running(self.clock, f"build {preset}", words, log=log, idle=True, environment=LARGE_HEAP)

        self.builder.begin({preset: [command(preset, number, words) for number, words in enumerate(self.builds(preset))]
                            for preset in presets})

    def finish_build(self, preset):
        if not self.builder.has(preset):
            return self.build(preset)
        say(f"\n== build/{preset} ({time.strftime('%T')})")
        if wrong := self.builder.finish(preset):
            for log in sorted(pathlib.Path("build").glob(f"build-{preset}?.log")):
                say("\n".join(log.read_text(errors="replace").splitlines()[-60:]))
            raise Failure(f"build/{preset}: {wrong}")
        return None

    # Tests

    def test(self, stage):
        preset, _ = TESTS[stage]
        build = pathlib.Path("build", preset).resolve()
        wanted = self.wants(build)
        begun = time.monotonic()
        status, used = suites.run(build, self.arguments(stage), self.options.force, wanted, self.say_of_ctest)
        self.clock.add(stage, time.monotonic() - begun, used)
        # A program whose tests skip has passed for CTest.
        log = build / "Testing/Temporary/LastTest.log"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        for number, line in enumerate(lines):
            if line.endswith(": Skipped"):
                say("\n".join(lines[number:number + 2]))
        if status != 0:
            raise Failure(f"{stage}: ctest ended with {status}")

    def say_of_ctest(self, line):
        self.failed_tests.read(line)
        if found := COUNT.search(line):
            self.failed += int(found[1])
            self.passed += int(found[2]) - int(found[1])
        if sys.stdout.isatty() or not QUIET.search(line):
            say(line)

    # Stages

    def style(self):
        say(f"\n== style ({time.strftime('%T')})")
        sources = suites.output_of("git", "ls-files", "-co", "--exclude-standard", "*.cpp", "*.h").split()
        run(self.clock, "style", ("clang-format", "--dry-run", "--Werror", *filter(os.path.exists, sources)))
        for test in sorted(pathlib.Path("tests/style").glob("*_test.py")):
            run(self.clock, "style", (sys.executable, "-B", str(test)), log=f"build/{test.stem}.log")
        for check in ("includes", "namespaces", "colours"):
            run(self.clock, "style", (sys.executable, "-B", f"tests/style/check_{check}.py", "."))

    def programs(self):
        say(f"\n== tests of programs, files and OpenGL ({time.strftime('%T')})")
        self.test("programs")

    def windows(self):
        say(f"\n== windows ({time.strftime('%T')})")
        # Windows tell times to people, so that no compiler runs beside them.
        self.builder.pause()
        try:
            self.test("windows")
        finally:
            self.builder.go_on()

    def begin_guests(self):
        """Emulated machines keep a processor and a half busy: beside the compilers."""
        pathlib.Path("build/guests.log").unlink(missing_ok=True)
        force = ["--force"] if self.options.force else []
        self.guests = Running(self.clock, "guests", [sys.executable, "-B", "tests/checks/suites.py", *force, "build/test",
                                                     *self.arguments("guests")], log="build/guests.log")

    def finish_guests(self):
        if not self.guests:
            return
        guests, self.guests = self.guests, None
        status = guests.wait()
        say(f"\n== guests ({time.strftime('%T')})")
        for line in pathlib.Path("build/guests.log").read_text(errors="replace").splitlines():
            self.say_of_ctest(line)
        if status != 0:
            raise Failure(f"guests: ctest ended with {status}")

    def address(self):
        self.finish_build("asan")
        self.attempt(self.finish_guests)
        say(f"\n== tests under address, leak and undefined-behaviour sanitizers ({time.strftime('%T')})")
        self.test("address")

    def threads(self):
        self.finish_build("tsan")
        self.attempt(self.finish_guests)
        say(f"\n== tests under the thread sanitizer ({time.strftime('%T')})")
        self.test("threads")

    def fuzz(self):
        if not self.builder.has("asan"):
            self.build("asan")
        say(f"\n== fuzz targets ({time.strftime('%T')})")
        run(self.clock, "fuzz", ("scripts/fuzz", "--asan", "10" if self.options.all else "1"))

    def tidy(self):
        self.attempt(self.finish_guests)
        say(f"\n== clang-tidy ({time.strftime('%T')})")
        limit = [] if self.options.all else ["--recent", TIDY_MINUTES]
        run(self.clock, "tidy", ("scripts/tidy", *limit), environment=LARGE_HEAP)

    def faults(self):
        say(f"\n== streams that are broken on purpose ({time.strftime('%T')})")
        self.test("faults")

    def soak(self):
        say(f"\n== streams whose ends are killed for minutes ({time.strftime('%T')})")
        run(self.clock, "soak", ("scripts/soak", "--seed", "1", "5"))

    def package(self):
        say(f"\n== packages ({time.strftime('%T')})")
        self.test("package")

    def go(self):
        stages = self.options.stages
        presets = {TESTS[stage][0]: None for stage in stages if stage in TESTS}
        if "style" in stages:
            self.attempt(self.style)
        if "test" in presets:
            self.build("test")
        self.begin_builds([preset for preset in presets if preset != "test"])
        for stage in stages:
            if stage == "guests":
                self.begin_guests()
            elif stage != "style":
                if self.has_budget():
                    self.slowness.append(slowness())
                self.attempt(getattr(self, stage))
        self.attempt(self.finish_guests)

    def attempt(self, stage):
        """One run shows all that fails."""
        try:
            stage()
        except Failure as failure:
            say(f"Failed: {failure}")
            self.failures.append(str(failure))

    def end(self):
        self.builder.end()
        if self.guests:
            self.guests.end()


def arguments(words):
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--repeat", type=int, metavar="N")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(words)
    if options.repeat is None:
        if unknown := [name for name in options.names if name not in EVERYDAY + FURTHER]:
            sys.exit(f"test: no stage is named {unknown[0]}: {' '.join(EVERYDAY + FURTHER)}")
        options.stages = [stage for stage in EVERYDAY + FURTHER if stage in options.names]
    options.whole = not options.names
    return options


def what_to_run(options, memory, content):
    """The folders of tests that a small change asks for, or None for everything."""
    options.stages = options.stages or [*EVERYDAY, *(FURTHER if options.all else ())]
    if not options.whole or options.all or options.force:
        return None
    folders = changes.small_change(memory.whole(), content)
    if folders is not None:
        left_out = [stage for stage in options.stages if stage not in AFTER_A_SMALL_CHANGE]
        options.stages = [stage for stage in options.stages if stage in AFTER_A_SMALL_CHANGE]
        say("A small change since all tests passed: " + " ".join(changes.changed(memory.whole(), content)))
        say(f"The tests of {', '.join(f'tests/{folder}' for folder in folders)}, the transports' contract and a look at each "
            f"program run.\nLeft out: all other folders of tests; {', '.join(left_out)}. scripts/test --force runs them, too.")
    return folders


def main(words):
    os.chdir(pathlib.Path(__file__).resolve().parent.parent.parent)
    options = arguments(words)
    pathlib.Path("build").mkdir(exist_ok=True)
    os.environ["VERBCAST_TEST_FFMPEG"] = str(pathlib.Path("build/ffmpeg").resolve())  # tests/support/ffmpeg_answers.h
    if options.repeat is not None:
        return repeat(options.repeat, options.names)
    memory, content = changes.Memory(), changes.sums()
    if options.whole and not options.force and not options.all and memory.passed(content):
        say("Nothing changed since the tests passed (--force runs them again).")
        return 0
    checks = Checks(options, what_to_run(options, memory, content))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a script's "&" ignores it, for the programs under test, too
    try:
        checks.go()
    except Failure as failure:
        checks.failures.append(str(failure))
    finally:
        checks.end()
    say(f"\n{checks.clock.table()}")
    used = checks.clock.processor_seconds()
    if checks.has_budget():
        slower = max(1.0, statistics.mean(checks.slowness or [slowness()]))
        budget = BUDGET * slower
        say(f"Budget: {used:.0f} of {budget:.0f} s of processor time, on processors that take {slower:.2f} times as long")
        if used > budget:
            checks.failures.append("an everyday run must fit into 40 minutes of two processors: move what proves least to "
                                   "--all (CONTRIBUTING.md)")
    if checks.passed or checks.failed:
        say(f"\n{checks.passed} passed, {checks.failed} failed")
    if checks.failures:
        say(f"\n{checks.failed_tests.text()}\n")
        say("\n".join(f"Failed: {failure}" for failure in checks.failures))
        return 1
    if options.whole:
        memory.keep(content, small=checks.folders is not None)
    say(f"All stages passed: {' '.join(options.stages)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
