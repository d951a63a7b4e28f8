#!/usr/bin/env python3
"""scripts/tidy and the pre-commit hook check what has changed, in a tree of their own."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
GOOD = "int* pointer() {\n    return nullptr;\n}\n"
BAD = "int* pointer() {\n    return 0;\n}\n"  # modernize-use-nullptr
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


@unittest.skipUnless(shutil.which("clang-tidy") and shutil.which("clang-format"), "SKIPPED: no clang-tidy, clang-format")
class Tidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        for name in ("scripts/tidy", ".githooks/pre-commit", ".clang-tidy", ".clang-format",
                     *(f"tests/style/{file.name}" for file in (TREE / "tests/style").glob("c*.py"))):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TREE / name, self.root / name)
        self.write(".gitignore", "/build/\n")
        self.write("core/one.cpp", GOOD)
        self.write("core/two.cpp", GOOD.replace("pointer", "two"))
        self.write("core/alone.cpp", GOOD)
        self.list_what_is_compiled("core/one.cpp", "core/two.cpp")
        self.run_in("git", "init", "-q")
        self.commit()

    def list_what_is_compiled(self, *names):
        """Those in a batch, and another."""
        batch = "build/test/core/CMakeFiles/core.dir/Unity/unity_0_cxx.cxx"
        self.write(batch, "".join(f'#include "{self.root / name}"\n' for name in names))
        self.write("build/test/compile_commands.json", json.dumps([
            {"directory": str(self.root), "file": str(self.root / name), "command": f"c++ -std=c++20 -I. -c {self.root / name}"}
            for name in (batch, "core/alone.cpp")]))

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def run_in(self, *words):
        return subprocess.run(words, cwd=self.root, capture_output=True, text=True, env=ENVIRONMENT)

    def commit(self):
        self.run_in("git", "add", "-A")
        done = self.run_in("git", "commit", "-q", "-m", "change")
        self.assertEqual(done.returncode, 0, done.stderr)

    def tidy(self, *words):
        done = self.run_in("scripts/tidy", *words)
        return done.returncode, done.stdout

    def expect(self, code, text, *words):
        result, said = self.tidy(*words)
        self.assertEqual(result, code, said)
        self.assertIn(text, said)

    def test_only_what_has_not_passed_is_checked(self):
        self.expect(0, "4 of 4 batches and files passed")
        self.expect(0, "0 of 0 batches and files passed; 4 had passed before")
        self.write("core/two.cpp", BAD)
        self.expect(1, "1 of 2 batches and files passed, 1 did not")
        self.expect(1, "modernize-use-nullptr")  # it has not passed now either
        self.write("core/two.cpp", GOOD.replace("pointer", "two"))
        self.expect(0, "0 of 0")  # this content has passed before

    def test_each_source_of_a_batch_is_checked_and_each_outside_one(self):
        for name in ("core/one.cpp", "core/two.cpp", "core/alone.cpp"):
            with self.subTest(name):
                good = (self.root / name).read_text()
                self.write(name, BAD.replace("pointer", "other"))
                self.expect(1, f"{name}:2:")
                self.write(name, good)

    def test_a_source_that_needs_the_includes_of_the_one_before_it_does_not_pass(self):
        self.write("core/used.h", "#pragma once\ninline " + GOOD.replace("pointer", "used"))
        self.write("core/one.cpp", '#include "core/used.h"\n')
        self.write("core/two.cpp", "int* two() {\n    return used();\n}\n")
        self.expect(1, "core/two.cpp:2:12: error: use of undeclared identifier 'used'")
        self.write("core/two.cpp", '#include "core/used.h"\nint* two() {\n    return used();\n}\n')
        self.expect(0, "passed")

    def test_a_changed_header_is_checked_with_what_includes_it(self):
        self.write("core/used.h", "inline " + GOOD)
        self.write("core/between.h", '#include "core/used.h"\n')
        self.write("core/two.cpp", '#include "core/between.h"\n')
        self.write("core/one.cpp", "")
        self.expect(0, "4 of 4")
        self.write("core/used.h", "inline " + BAD)
        self.expect(1, "core/used.h:2:")

    def test_a_header_that_is_named_is_checked_with_its_source_or_one_that_includes_it(self):
        self.write("core/two.h", "inline " + BAD)
        self.write("core/two.cpp", '#include "core/two.h"\n')
        self.write("core/used.h", "inline " + BAD)
        self.write("core/one.cpp", '#include "core/used.h"\n')
        self.commit()
        self.expect(1, "core/two.h:2:", "core/two.h")
        self.expect(1, "core/used.h:2:", "core/used.h")
        self.write("core/used.h", "inline " + GOOD)
        self.expect(0, "1 of 1 files passed", "core/used.h")

    def test_the_analyzer_looks_into_files_that_are_named(self):
        self.write("core/two.cpp", "int two(int by) {\n    return by == 0 ? 1 / by : by;\n}\n")
        self.expect(0, "4 of 4")
        self.expect(1, "clang-analyzer-core.DivideZero", "core/two.cpp")

    def test_recent_changes_are_checked_the_newest_first_for_so_many_minutes(self):
        self.expect(0, "0 of 0 batches and files passed; 0 had passed before; 0 minutes were over: 3 are left out", "--recent", "0")
        self.write("core/alone.cpp", BAD)
        self.commit()
        result, said = self.tidy("--recent", "1")
        self.assertEqual(result, 1, said)
        self.assertLess(said.index("core/alone.cpp:2:"), said.index("2 of 3"))
        self.assertNotEqual(self.tidy("--recent", "soon")[0], 0)

    def test_what_is_not_compiled_is_named(self):
        self.write("core/new.cpp", GOOD)
        self.expect(0, "core/new.cpp is in no target", "core/new.cpp")

    def test_a_configuration_with_new_checks_checks_all_anew(self):
        self.expect(0, "4 of 4")
        self.write(".clang-tidy", (self.root / ".clang-tidy").read_text() + "\n")
        self.expect(0, "4 of 4")

    def test_the_hook_refuses_what_breaks_the_rules(self):
        self.run_in("git", "config", "core.hooksPath", ".githooks")
        for name, text, said in (("core/one.cpp", "int  a;\n", "format them"),
                                 ("core/one.cpp", "#include <QWidget>\n", "belongs to app/window"),
                                 ("core/one.cpp", BAD, "modernize-use-nullptr")):
            with self.subTest(said):
                self.write(name, text)
                self.run_in("git", "add", "-A")
                done = self.run_in("git", "commit", "-q", "-m", "change")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(said, done.stdout + done.stderr)
        self.write("core/one.cpp", GOOD + "\n// More.\n")
        self.commit()


if __name__ == "__main__":
    unittest.main()
