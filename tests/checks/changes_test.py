#!/usr/bin/env python3
"""Which tests a change asks for, and that each folder of the tree has an answer."""

import os
import pathlib
import subprocess
import unittest

import changes

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Changes(unittest.TestCase):
    def setUp(self):
        os.chdir(ROOT)

    def test_a_source_asks_for_the_tests_of_its_folder(self):
        self.assertEqual(changes.tests_of("core/stream/broadcast.cpp"), ["core/stream"])
        self.assertEqual(changes.tests_of("core/base/text/counted.h"), ["core"])
        self.assertEqual(changes.tests_of("core/multirail/rail_merge.cpp"), ["core/multirail"])
        self.assertEqual(changes.tests_of("app/window/style/theme.cpp"), ["window"])
        self.assertEqual(changes.tests_of("tests/core/pipe/disk_input_test.cpp"), ["core/pipe"])
        self.assertEqual(changes.tests_of("README.md"), ["docs"])

    def test_what_decides_how_all_is_built_or_run_asks_for_all(self):
        for name in ("CMakeLists.txt", "core/CMakeLists.txt", "tests/support/patience.h", "scripts/test", "packages",
                     "tests/CMakeLists.txt", "a-new-folder/file.cpp"):
            self.assertIsNone(changes.tests_of(name), name)

    def test_every_source_of_the_program_has_tests(self):
        files = subprocess.run(("git", "ls-files", "app", "capture", "core", "render", "shaders"), capture_output=True,
                               text=True, check=True).stdout.split()
        for name in files:
            for folder in changes.tests_of(name) or ():
                self.assertTrue((ROOT / "tests" / folder).is_dir(), name)
            if not name.endswith(changes.EVERYTHING):
                self.assertTrue(changes.tests_of(name), name)

    def test_a_small_change_is_of_few_files(self):
        before = {f"core/base/{number}.cpp": "one" for number in range(20)}
        one = before | {"core/base/3.cpp": "two", "app/bench/new.cpp": "one"}
        self.assertEqual(changes.small_change(before, one), ["bench", "core"])
        gone = {name: text for name, text in before.items() if name != "core/base/3.cpp"}
        self.assertEqual(changes.small_change(before, gone), ["core"])
        self.assertIsNone(changes.small_change(before, {name: "two" for name in before}))
        self.assertIsNone(changes.small_change(None, before))
        self.assertIsNone(changes.small_change(before, before | {"packages": "other"}))


if __name__ == "__main__":
    unittest.main()
