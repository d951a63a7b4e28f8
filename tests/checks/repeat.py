"""Runs tests again and again beside busy processors, and counts what fails: such a test depends on luck."""

import collections
import os
import pathlib
import re
import subprocess
import sys

import suites
from work import say

RESULT = re.compile(r"Test +#\d+: (\S+) .*?(Passed|\*\*\*\S+)")


def repeat(times, names):
    """Each test of build/test and of the sanitizers' builds that is there, whose name begins with one of NAMES; of all
    everyday ones without names. Returns 1 if one failed."""
    pattern = f"^({'|'.join(re.escape(name) for name in names)})" if names else "."
    busy = subprocess.Popen((sys.executable, "-c", "while True: pass"))
    results = collections.defaultdict(collections.Counter)
    process = None
    try:
        for preset in ("test", "asan", "tsan"):
            build = pathlib.Path("build", preset).resolve()
            if not (build / "CTestTestfile.cmake").exists():
                continue
            # With a sanitizer, only the parts of test programs: the rest runs in the plain build.
            parts = "" if preset == "test" else r".*\.part[0-9]+$"
            words = ("-C", "Whole", "-LE", "^(thorough|package|faults)$", "-R", pattern + parts)
            if not suites.chosen(build, words):
                continue
            for turn in range(times):
                process = subprocess.Popen(("ctest", "--test-dir", str(build), *words, "--output-on-failure", "--timeout", "180",
                                            "-j", str(os.cpu_count())), stdout=subprocess.PIPE, text=True, errors="replace")
                failed = []
                for line in process.stdout:
                    if found := RESULT.search(line):
                        results[f"{preset} {found[1]}"][found[2] == "Passed"] += 1
                        failed += [found[1]] if found[2] != "Passed" else []
                    elif failed and not line.startswith(" " * 8 + "Start"):
                        sys.stdout.write(line)
                process.wait()
                say(f"build/{preset}, turn {turn + 1} of {times}: {', '.join(failed) or 'none'} failed")
    finally:
        if process and process.poll() is None:
            process.terminate()
        busy.kill()
        busy.wait()
    if not results:
        say(f"repeat: no test is named {' or '.join(names)}, or nothing is built: scripts/test first")
        return 2
    say()
    for name, counts in sorted(results.items(), key=lambda row: -row[1][False]):
        if counts[False]:
            say(f"{name}: {counts[False]} of {counts.total()} failed")
    failures = sum(counts[False] for counts in results.values())
    say(f"{failures} of {sum(counts.total() for counts in results.values())} failed, beside a busy processor")
    return 1 if failures else 0
