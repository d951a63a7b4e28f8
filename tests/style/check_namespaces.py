#!/usr/bin/env python3
"""Which namespace the tests live in, and that no two classes share a name.

  check_namespaces.py ROOT

Prints what is wrong, a line each, and exits with 1. The rules, for tests/:
- a namespace with a name is verbcast::testing, or in a folder of OWN the one that it names;
- testing:: without :: before it, which would be ours and not GoogleTest's, is written nowhere.
For the headers of the programs: a class at namespace scope is defined once. Two of one name would end up in one
program, and the linker would take one's destructor for both."""

import collections
import re

import command

USUAL = "verbcast::testing"
OWN = {"tests/fuzz": "verbcast::fuzz"}
PROGRAMS = ("core", "capture", "render", "app")


def twice(root):
    defined = collections.defaultdict(list)
    for folder in PROGRAMS:
        for path in sorted((root / folder).rglob("*.h")):
            space, name = "", path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if opened := re.match(r"(?:inline\s+)?namespace\s+([\w:]+)\s*\{", line):
                    space = opened[1]
                elif found := re.match(r"(?:class|struct)\s+(\w+)(?:\s+final)?\s*(?::[^:].*)?\{", line):
                    defined[f"{space}::{found[1]}"].append(f"{name}:{number}")
    return [f"{places[1]}: {name} is defined in {places[0]}, too" for name, places in sorted(defined.items())
            if len(places) > 1]


def check(root):
    faults = twice(root)
    for path in sorted((root / "tests").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(root).as_posix()
        expected = next((own for folder, own in OWN.items() if name.startswith(folder + "/")), USUAL)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            opened = re.match(r"\s*(?:inline\s+)?namespace\s+([\w:]+)\s*(?:\{|$)", line)
            if opened and opened[1] != expected:
                faults.append(f"{name}:{number}: namespace {opened[1]}: expected {expected}")
            if re.search(r"(?<![\w:])testing::", line):
                faults.append(f"{name}:{number}: testing:: is {USUAL} here: write ::testing:: for GoogleTest's, "
                              "nothing for ours")
    return faults


if __name__ == "__main__":
    command.run(__doc__, check)
