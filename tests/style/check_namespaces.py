#!/usr/bin/env python3
"""Which namespace the tests live in.

  check_namespaces.py ROOT

Prints what is wrong, a line each, and exits with 1. The rules, for tests/:
- a namespace with a name is verbcast::testing, or in a folder of OWN the one that it names;
- testing:: without :: before it, which would be ours and not GoogleTest's, is written nowhere."""

import re

import command

USUAL = "verbcast::testing"
OWN = {"tests/fuzz": "verbcast::fuzz"}


def check(root):
    faults = []
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
