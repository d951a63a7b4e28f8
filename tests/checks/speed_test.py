#!/usr/bin/env python3
"""scripts/speed tells differences from chance, and reads what each revision's bench reports."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

PATH = pathlib.Path(__file__).resolve().parents[2] / "scripts/speed"
loader = importlib.machinery.SourceFileLoader("speed", str(PATH))
speed = importlib.util.module_from_spec(importlib.util.spec_from_loader("speed", loader))
loader.exec_module(speed)

BENCH = """#!/bin/bash
for last; do :; done
%s
"""


class SpeedTest(unittest.TestCase):
    def measure(self, script, row="shm"):
        with tempfile.TemporaryDirectory() as folder:
            speed.FOLDER = pathlib.Path(folder)
            program = speed.FOLDER / "verbcast"
            program.write_text(BENCH % script, encoding="utf-8")
            program.chmod(0o755)
            return speed.measure(speed.FOLDER, row, 1)

    def test_ranges_that_overlap_prove_nothing(self):
        self.assertEqual(speed.verdict([40, 42, 50], [48, 60, 61], speed.LESS), "within the spread")
        self.assertEqual(speed.verdict([40, 42, 47], [48, 60, 61], speed.LESS), "differs: WORSE")
        self.assertEqual(speed.verdict([40, 42, 47], [48, 60, 61], speed.MORE), "differs: better")
        self.assertEqual(speed.verdict([40], [60], speed.LESS), "unknown: one turn")

    def test_a_row_s_figures_are_read_and_those_that_are_missing_left_out(self):
        figures, reason = self.measure("""echo '{"rows": [{"latency_us": {"p50": 45.5, "p99": null},
            "cpu_us_per_frame": {"sender": 60, "receiver": 50}, "wake_up": null}]}' > "$last" """)
        self.assertEqual(figures, {"p50": 45.5, "CPU of both": 110})
        self.assertEqual(reason, "")

    def test_a_row_that_cannot_be_measured_says_why(self):
        self.assertEqual(self.measure("""echo '{"rows": [], "notes": ["verbs is left out: no device"]}' > "$last" """, "verbs"),
                         ({}, "verbs is left out: no device"))
        self.assertEqual(self.measure("echo 'verbcast: --viewers: no such option' >&2; exit 2", "viewers"),
                         ({}, "verbcast: --viewers: no such option"))


if __name__ == "__main__":
    unittest.main()
