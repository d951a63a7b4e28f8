#!/usr/bin/env python3
"""Checks that docs/reference.md is what verbcast-reference writes.

  check_reference.py PROGRAM PAGE WRITTEN

PROGRAM is verbcast-reference, PAGE the page in the tree, and WRITTEN where the build puts it. Prints the differences and
how to renew the page; the exit code is 1 when there are any."""

import difflib
import pathlib
import subprocess
import sys
import tempfile


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    program, page, written = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, folder], check=True, timeout=60)
        new = (pathlib.Path(folder) / "reference.md").read_text(encoding="utf-8")
    old = pathlib.Path(page).read_text(encoding="utf-8")
    if new == old:
        return
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), page, written))
    sys.exit(f"docs/reference.md is out of date. Build the target reference, and renew it: cp {written} {page}")


if __name__ == "__main__":
    main()
