#!/usr/bin/env python3
"""The windows take their colours from the palettes, so that each shows in the dark and in the light one.

  check_colours.py ROOT

Prints where app/window/ names a colour elsewhere than in PALETTES, a line each, and exits with 1."""

import re

import command

PALETTES = "app/window/style/colours.h"
COLOUR = re.compile(
    r"\bQColor\s*(\(|\w*\{)\s*\d|\bQColor\(\s*Qt::|\bqRgba?\(|#[0-9a-fA-F]{3,8}\b|\brgba?\("
    r"|\bQt::(black|white|(dark|light)?[Gg]ray|(dark)?([Rr]ed|[Gg]reen|[Bb]lue|[Cc]yan|[Mm]agenta|[Yy]ellow))\b")


def check(root):
    faults = []
    for path in sorted((root / "app/window").rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in (".h", ".cpp") or name == PALETTES:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = COLOUR.search(line.partition("//")[0])
            if found:
                faults.append(f"{name}:{number}: {found.group()}... is a colour of its own: name it in {PALETTES}")
    return faults


if __name__ == "__main__":
    command.run(__doc__, check)
