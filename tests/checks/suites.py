#!/usr/bin/env python3
"""CTest, for scripts/test: leaves out tests that have passed with the very content that they would meet now.

  suites.py [--force] BUILD CTEST-ARGUMENT...

What a test meets: its own program, the program's libraries, the files of this tree that are no sources and no
documentation (scripts, shaders, data), the installed packages, the kernel, and the variables that tests look at. A test
without the label `self_contained` meets all programs of the build, too, but those of other tests; one that is no program
of ours meets the whole tree, but those that run in a guest or on broken streams read no documentation. What passed is
remembered in BUILD/passed-tests as soon as it has passed. --force leaves out nothing. Exits as ctest does."""

import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

import work

ELF = b"\x7fELF"
SOURCES = (".cpp", ".h")
READS_NO_DOCUMENTATION = {"rdma", "faults"}
READ_BY_NO_PROGRAM = ("docs/", "tests/package/", "scripts/gpu")  # but by tests that meet the whole tree
PASSED = re.compile(r"Test +#\d+: (\S+) \.* +Passed ")


def sum_of(*parts):
    return hashlib.sha1("\n".join(parts).encode()).hexdigest()


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def labels_of(test):
    return set(property_of(test, "LABELS", []))


def property_of(test, name, otherwise=None):
    return next((entry["value"] for entry in test.get("properties", []) if entry["name"] == name), otherwise)


def folder_of(test, build):
    """The folder of tests that a test is of, "" if it is of none."""
    folder = pathlib.Path(property_of(test, "WORKING_DIRECTORY", ""))
    inside = build / "tests"
    return str(folder.relative_to(inside)) if folder.is_relative_to(inside) and folder != inside else ""


class Content:
    """Hashes of what tests depend on. TESTS: all that the build has, whose programs others do not meet."""

    def __init__(self, build, tests):
        self.build = build
        self.files = {}
        tracked = sorted(set(output_of("git", "ls-files", "-co", "--exclude-standard").splitlines()))
        data = [name for name in tracked
                if not name.endswith((*SOURCES, ".md")) and not name.startswith(READ_BY_NO_PROGRAM)]
        test_programs = {pathlib.Path(test["command"][0]) for test in tests.values()}
        elf = [file for file in self.files_of(build) if file not in test_programs and os.access(file, os.X_OK)
               and self.is_elf(file)]
        libraries = [file for file in elf if ".so" in file.name and not file.is_relative_to(build / "tests")]
        variables = [f"{name}={value}" for name, value in sorted(os.environ.items())
                     if name.startswith(("VERBCAST_", "GTEST_"))]
        self.machine = sum_of(platform.release(), self.packages(), *variables, *map(self.file, libraries + data))
        self.programs = sum_of(*map(self.file, elf))
        self.tree = sum_of(*tracked, *map(self.file, tracked))

    @staticmethod
    def files_of(build):
        """What was built; the guests' own files lie there, too."""
        for folder, inner, names in os.walk(build):
            inner[:] = sorted(set(inner) - {"CMakeFiles", "Testing", "guest"})
            yield from (pathlib.Path(folder, name) for name in sorted(names) if not os.path.islink(f"{folder}/{name}"))

    @staticmethod
    def packages():
        try:
            return output_of("dpkg-query", "-W")
        except (OSError, subprocess.CalledProcessError):
            return ""

    @staticmethod
    def is_elf(file):
        with file.open("rb") as opened:
            return opened.read(4) == ELF

    def file(self, path):
        path = pathlib.Path(path)
        if path not in self.files:
            self.files[path] = hashlib.sha1(path.read_bytes()).hexdigest() if path.is_file() else "absent"
        return self.files[path]

    def key(self, test):
        command = test["command"]
        labels = labels_of(test)
        program = pathlib.Path(command[0])
        parts = [test["name"], self.machine, *command, *property_of(test, "ENVIRONMENT", []), self.file(program)]
        if "self_contained" in labels:
            parts += map(self.file, sorted(program.parent.rglob("*.so*")))
        else:
            parts.append(self.programs)
            if not program.is_relative_to(self.build) and not labels & READS_NO_DOCUMENTATION:
                parts.append(self.tree)
        return sum_of(*parts)


def chosen(build, arguments):
    """CTest's own choice, as tests by name."""
    listed = json.loads(output_of("ctest", "--test-dir", str(build), "--show-only=json-v1", *arguments))
    return {test["name"]: test for test in listed["tests"] if "command" in test}


def pattern_of(names):
    return "^({})$".format("|".join(re.sub(r"[.+]", r"\\\g<0>", name) for name in names))


def run(build, arguments, force=False, wanted=lambda test: True, say=lambda line: print(line, flush=True)):
    """Runs what CTest chooses and WANTED does not refuse; returns ctest's status, and the processor seconds."""
    build = pathlib.Path(build).resolve()
    memory = build / "passed-tests"
    remembered = set(memory.read_text().split()) if memory.exists() else set()
    everything = chosen(build, ("-C", "Whole"))
    content = Content(build, everything)
    tests = {name: test for name, test in chosen(build, arguments).items() if wanted(test)}
    keys = {name: content.key(test) for name, test in tests.items()}
    left_out = set() if force else {name for name in keys if keys[name] in remembered}
    if left_out:
        say(f"{len(left_out)} of {len(keys)} tests have passed with the same content (--force runs them again)")
    left = [name for name in tests if name not in left_out]
    if not left:
        if not tests:
            say("No tests are chosen here.")
        return 0, 0.0
    process = subprocess.Popen(("ctest", "--test-dir", str(build), *arguments, "-R", pattern_of(left)),
                               stdout=subprocess.PIPE, text=True, errors="replace")
    with memory.open("a") as opened:
        for line in process.stdout:
            say(line.rstrip("\n"))
            if (found := PASSED.search(line)) and found[1] in keys:
                print(keys[found[1]], file=opened, flush=True)
    return work.wait(process)


def main(words):
    force = words[:1] == ["--force"]
    words = words[force:]
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    return run(words[0], words[1:], force)[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
