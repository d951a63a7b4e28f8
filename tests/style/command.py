"""A check as a command: ROOT is its argument, each fault a line, and any fault exit code 1."""

import pathlib
import sys


def run(usage, check):
    if len(sys.argv) != 2:
        sys.exit(usage)
    faults = check(pathlib.Path(sys.argv[1]))
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)
