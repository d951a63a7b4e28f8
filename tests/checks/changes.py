"""What has changed since all tests passed, and which tests a small change asks for."""

import hashlib
import json
import pathlib
import subprocess

MEMORY = pathlib.Path("build/tests-passed")
# So many changed files are a small change, after which only the tests of their folders run.
SMALL = 8
# The folders of tests for each folder of the program that does not ask for its namesake below tests/; the longest that
# fits counts.
TESTS_OF = {
    "core/device": ["core/gpu"], "core/transport/rdma": ["core/transport", "core/transport/rdma"],
    "capture/media": ["capture", "decoding"], "app/preload": ["app"],
    "shaders": ["render"],
    "app/bench": ["bench"], "app/commands/doctor": ["app", "doctor"], "app/view": ["app", "window"],
    "app/wall": ["wall"], "app/window": ["window"],
    "docs/examples": ["core/api"], "scripts": ["share"],
}
# What asks for everything: it decides how all is built or run.
EVERYTHING = ("CMakeLists.txt", ".cmake", "CMakePresets.json", ".h.in", "scripts/test", "scripts/packages.sh")


def sums():
    """The content of each file of the tree, and the installed packages."""
    files = subprocess.run(("git", "ls-files", "-co", "--exclude-standard", "-z"), capture_output=True, text=True,
                           check=True).stdout.split("\0")
    content = {name: hashlib.sha1(pathlib.Path(name).read_bytes()).hexdigest()
               for name in set(files) if name and pathlib.Path(name).is_file()}
    try:
        packages = subprocess.run(("dpkg-query", "-W"), capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        packages = b""
    return content | {"packages": hashlib.sha1(packages).hexdigest()}


class Memory:
    """What the tree was when everything had passed, and when what a small change asks for had."""

    def __init__(self):
        try:
            self._known = json.loads(MEMORY.read_text())
        except (OSError, ValueError):
            self._known = {}

    def passed(self, content):
        return content in (self._known.get("whole"), self._known.get("small"))

    def whole(self):
        return self._known.get("whole")

    def keep(self, content, small):
        self._known["small" if small else "whole"] = content
        MEMORY.parent.mkdir(exist_ok=True)
        MEMORY.write_text(json.dumps(self._known))


def changed(before, now):
    """The names of files that differ, that came and that went."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def tests_of(name):
    """The folders of tests that a changed file asks for; None: all."""
    if name == "packages" or name.endswith(EVERYTHING):
        return None
    if name.endswith(".md"):
        return ["docs"]
    parts = name.split("/")[:-1]
    if parts[:1] == ["tests"]:
        parts = parts[1:]
        if parts[:1] in ([], ["support"], ["checks"], ["style"]):
            return None
    for length in range(len(parts), 0, -1):
        folder = "/".join(parts[:length])
        if name.split("/")[0] != "tests" and folder in TESTS_OF:
            return TESTS_OF[folder]
        if pathlib.Path("tests", folder, "CMakeLists.txt").is_file():
            return [folder]
    return None


def small_change(before, now):
    """The folders of tests that a small change asks for; None if it is a large one, or nothing has ever passed."""
    if before is None:
        return None
    names = changed(before, now)
    asked = [tests_of(name) for name in names]
    if len(names) > SMALL or None in asked:
        return None
    return sorted({folder for folders in asked for folder in folders})
