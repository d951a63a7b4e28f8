#!/usr/bin/env python3
"""failures.py finds what a failed test said among what CTest prints."""

import unittest

from failures import LINES, Failures

LOG = """      Start  1: good
      Start  2: frames.part1
 1/4 Test  #1: good .............................   Passed    0.01 sec
 2/4 Test  #2: frames.part1 .....................***Failed    1.50 sec
a peer has gone
/tree/frames_test.cpp:12: Failure
Expected equality of these values:
  3
  4
[  FAILED  ] Frames.Arrive (12 ms)
      Start  3: hangs
 3/4 Test  #3: hangs ............................***Timeout 180.00 sec
begun
      Start  4: other
 4/4 Test  #4: other ............................   Passed    0.01 sec

50% tests passed, 2 tests failed out of 4
"""


class FailuresTest(unittest.TestCase):
    def read(self, log):
        failures = Failures()
        for line in log.splitlines():
            failures.read(line)
        return failures.text()

    def test_what_went_wrong_is_shown(self):
        text = self.read(LOG)
        self.assertEqual(text, """frames.part1: ***Failed    1.50 sec
  /tree/frames_test.cpp:12: Failure
  Expected equality of these values:
    3
    4
  [  FAILED  ] Frames.Arrive (12 ms)

hangs: ***Timeout 180.00 sec
  begun""")

    def test_first_and_last_of_much(self):
        said = "".join(f"x{number}: Failure\n" for number in range(1000))
        text = self.read(f"1/1 Test #1: much ....***Failed 1.00 sec\n{said}")
        self.assertEqual(len(text.splitlines()), 1 + LINES)
        self.assertIn("x0: ", text)
        self.assertIn("x999: ", text)

    def test_nothing_failed(self):
        self.assertEqual(self.read(" 1/1 Test  #1: good ....   Passed    0.01 sec\n"), "")


if __name__ == "__main__":
    unittest.main()
