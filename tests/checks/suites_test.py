#!/usr/bin/env python3
"""suites.py runs what has changed and leaves out what has passed, in a tree of its own."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parent / "suites.py"
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(made NONE)
enable_testing()
foreach(name alone.part1 started)
    add_test(NAME ${name} COMMAND ${CMAKE_BINARY_DIR}/${name})
endforeach()
set_tests_properties(alone.part1 PROPERTIES LABELS "unit;self_contained")
add_test(NAME script COMMAND sh ${CMAKE_SOURCE_DIR}/script)
add_test(NAME guest COMMAND sh ${CMAKE_SOURCE_DIR}/script)
set_tests_properties(guest PROPERTIES LABELS rdma)
"""
ALL = {"alone.part1", "started", "script", "guest"}


class Suites(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.build = self.root / "build"
        self.write(".gitignore", "/build/\n")
        self.write("CMakeLists.txt", PROJECT)
        self.write("script", "exit 0\n")
        self.write("docs/page.md", "one\n")
        subprocess.run(("git", "init", "-q"), cwd=self.root, check=True)
        subprocess.run(("cmake", "-S", ".", "-B", "build"), cwd=self.root, check=True, stdout=subprocess.DEVNULL)
        for name in ("alone.part1", "started", "program"):
            self.make(name)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def make(self, name, from_program="/bin/true", changed=b""):
        """An executable file that ends as that program does."""
        file = self.build / name
        file.write_bytes(pathlib.Path(from_program).resolve().read_bytes() + changed)
        file.chmod(0o755)

    def run_tests(self, *options, expected=0, **environment):
        run = subprocess.run((sys.executable, "-B", PROGRAM, *options, "build"), cwd=self.root, capture_output=True, text=True,
                             env=os.environ | environment)
        self.assertEqual(run.returncode, expected, run.stdout + run.stderr)
        return {line.split()[3] for line in run.stdout.splitlines() if " Test #" in line}

    def test_what_passed_is_left_out_until_it_is_forced(self):
        self.assertEqual(self.run_tests(), ALL)
        self.assertEqual(self.run_tests(), set())
        self.assertEqual(self.run_tests("--force"), ALL)

    def test_a_changed_program_is_met_by_those_that_start_programs(self):
        self.run_tests()
        self.make("program", changed=b"more")
        self.assertEqual(self.run_tests(), ALL - {"alone.part1"})

    def test_a_changed_test_runs(self):
        self.run_tests()
        self.make("alone.part1", changed=b"more")
        self.assertIn("alone.part1", self.run_tests())

    def test_documentation_is_met_by_scripts_that_may_read_it(self):
        self.run_tests()
        self.write("docs/page.md", "two\n")
        self.assertEqual(self.run_tests(), {"script"})

    def test_data_and_variables_are_met_by_all(self):
        self.run_tests()
        self.write("script", "exit 0 # other\n")
        self.assertEqual(self.run_tests(), ALL)
        self.assertEqual(self.run_tests(GTEST_FILTER="One"), ALL)

    def test_what_failed_runs_again_and_alone(self):
        self.make("alone.part1", from_program="/bin/false")
        self.assertEqual(self.run_tests(expected=8), ALL)
        self.assertEqual(self.run_tests(expected=8), {"alone.part1"})

    def test_what_passed_before_a_run_was_stopped_is_left_out(self):
        self.write("script", "test -e go || kill $PPID\n")
        self.run_tests(expected=241)
        (self.build / "go").touch()
        self.assertEqual(self.run_tests(), {"script", "guest"})


if __name__ == "__main__":
    unittest.main()
