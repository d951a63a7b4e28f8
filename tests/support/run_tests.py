#!/usr/bin/env python3
"""CTest, for scripts/test: leaves out tests that have passed with the very content that they would meet now.

  run_tests.py [--force] BUILD CTEST-ARGUMENT...

What a test meets: its own program, all shared libraries of the build, the files of this tree that are no sources and no
documentation (scripts, shaders, data), the installed packages, the kernel, and the variables that tests look at. A test
without the label `self_contained` meets all programs of the build, too; one that is no program of ours meets the whole
tree, but those that run in a guest or on broken streams read no documentation. What passed is remembered in
BUILD/passed-tests. --force leaves out nothing. Exits as ctest does."""

import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import xml.etree.ElementTree

ELF = b"\x7fELF"
SOURCES = (".cpp", ".h")
READS_NO_DOCUMENTATION = {"rdma", "faults"}


def sum_of(*parts):
    return hashlib.sha1("\n".join(parts).encode()).hexdigest()


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Content:
    """Hashes of what tests depend on."""

    def __init__(self, build):
        self.build = build
        self.files = {}
        tracked = sorted(set(output_of("git", "ls-files", "-co", "--exclude-standard").splitlines()))
        data = [name for name in tracked
                if not name.endswith(SOURCES) and not name.startswith("docs/") and not name.endswith(".md")]
        elf = [file for file in self.files_of(build) if os.access(file, os.X_OK) and self.is_elf(file)]
        libraries = [file for file in elf if ".so" in file.name]
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
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        labels = set(properties.get("LABELS", []))
        parts = [test["name"], self.machine, *command, *properties.get("ENVIRONMENT", [])]
        if "self_contained" in labels:
            parts.append(self.file(command[0]))
        else:
            parts.append(self.programs)
            if not pathlib.Path(command[0]).is_relative_to(self.build) and not labels & READS_NO_DOCUMENTATION:
                parts.append(self.tree)
        return sum_of(*parts)


def chosen(build, arguments):
    """CTest's own choice, as tests by name."""
    listed = json.loads(output_of("ctest", "--test-dir", str(build), "--show-only=json-v1", *arguments))
    return {test["name"]: test for test in listed["tests"] if "command" in test}


def results(report):
    """The names of the tests that passed."""
    cases = xml.etree.ElementTree.parse(report).getroot().iter("testcase")
    return [case.get("name") for case in cases if case.get("status") == "run"]


def main(words):
    force = words[:1] == ["--force"]
    words = words[force:]
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    build, arguments = pathlib.Path(words[0]).resolve(), words[1:]
    memory = build / "passed-tests"
    remembered = set(memory.read_text().split()) if memory.exists() else set()
    content = Content(build)
    tests = chosen(build, arguments)
    keys = {name: content.key(test) for name, test in tests.items()}
    left_out = [] if force else [name for name in keys if keys[name] in remembered]
    if left_out:
        print(f"{len(left_out)} of {len(keys)} tests have passed with the same content (--force runs them again)",
              flush=True)
        if len(left_out) == len(keys):
            return 0
        names = "|".join(re.sub(r"[.+]", r"\\\g<0>", name) for name in left_out)
        arguments += ["-E", f"^({names})$"]
    report = build / "test-report.xml"
    report.unlink(missing_ok=True)
    code = subprocess.run(("ctest", "--test-dir", str(build), "--output-junit", str(report), *arguments)).returncode
    if report.exists():
        with memory.open("a") as opened:
            for name in results(report):
                print(keys[name], file=opened)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
