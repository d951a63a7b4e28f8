"""What failed tests said, in short: at the end of a long log, where people look."""

import re

RESULT = re.compile(r"^ *\d+/\d+ Test +#\d+: (\S+) \.*(.*)")
ENDS = re.compile(r"^ +Start +\d+: |^\d+% tests passed, ")
TELLS = re.compile(r"Failure$|\bFAILED\b|\bERROR: |WARNING: ThreadSanitizer|SUMMARY: |runtime error: |[Ee]rror: |Assertion")
FOLLOWING = 5  # lines that explain such a line
LINES = 24  # of each test
WIDTH = 240


class Failures:
    """Reads CTest's output as it comes."""

    def __init__(self):
        self._said = {}
        self._current = None

    def read(self, line):
        if found := RESULT.match(line):
            self._current = None
            if "***" in found[2]:
                self._current = self._said.setdefault(found[1], [f"{found[1]}: {found[2].strip()}"])
        elif ENDS.match(line):
            self._current = None
        elif self._current is not None:
            self._current.append(line)

    def text(self):
        return "\n\n".join("\n".join(short(lines)) for lines in self._said.values())


def short(lines):
    """The first of LINES, and those that tell most of the others."""
    left, chosen = 0, []
    for number, line in enumerate(lines[1:], 1):
        if TELLS.search(line):
            left = FOLLOWING + 1
        if left > 0 and line.strip():
            chosen.append(number)
            left -= 1
    if not chosen:
        chosen = [number for number in range(1, len(lines)) if lines[number].strip()]
    # The end names the test; the beginning is what went wrong first.
    if len(chosen) > LINES:
        chosen = chosen[:LINES * 2 // 3] + chosen[-LINES // 3:]
    return [lines[0], *(f"  {lines[number][:WIDTH]}" for number in chosen)]
