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
        self.write("core/two.cpp", GOOD)
        self.list_what_is_compiled("core/one.cpp", "core/two.cpp")
        self.run_in("git", "init", "-q")
        self.commit()

    def list_what_is_compiled(self, *names):
        self.write("build/dev/compile_commands.json", json.dumps([
            {"directory": str(self.root), "file": str(self.root / name), "command": f"c++ -std=c++20 -I. -c {name}"}
            for name in names], indent=2))

    def move_to_clone(self, *options):
        clone = self.root / "build/clone"
        self.run_in("git", "clone", "-q", *options, f"file://{self.root}", str(clone))
        self.root = clone
        self.list_what_is_compiled("core/one.cpp", "core/two.cpp")

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
        self.expect(0, "2 of 2 sources passed", "--all")
        self.expect(0, "0 of 0")
        self.write("core/two.cpp", BAD)
        self.expect(1, "0 of 1 sources passed, 1 did not")
        self.expect(1, "modernize-use-nullptr")  # it has not passed now either
        self.commit()
        self.expect(1, "1 did not")
        self.write("core/two.cpp", GOOD)
        self.expect(0, "0 of 0")  # this content has passed before

    def test_what_differs_from_upstream_is_checked_however_many_commits_ago(self):
        for number in range(7):
            self.write("notes", str(number))
            self.commit()
        self.move_to_clone()
        self.write("core/two.cpp", BAD)
        self.commit()
        for number in range(7):
            self.write("notes", "more " + str(number))
            self.commit()
        self.expect(1, "0 of 1 sources passed, 1 did not")
        self.write("core/two.cpp", GOOD + "\n")
        self.commit()
        self.expect(0, "1 of 1")

    def test_a_release_is_what_is_compared_with_where_there_is_no_upstream(self):
        self.run_in("git", "tag", "v1")
        self.write("core/two.cpp", BAD)
        self.commit()
        for number in range(7):
            self.write("notes", str(number))
            self.commit()
        self.expect(1, "0 of 1 sources passed, 1 did not")

    def test_the_last_commits_are_checked_where_nothing_differs(self):
        self.write("core/two.cpp", BAD)
        self.commit()
        self.move_to_clone()
        self.expect(1, "0 of 1 sources passed, 1 did not")

    def test_a_clone_without_history_checks_its_sources(self):
        self.move_to_clone("--depth=1")
        self.expect(0, "2 of 2 sources passed")

    def test_a_header_is_checked_with_a_source(self):
        self.expect(0, "2 of 2", "--all")
        self.write("core/one.h", GOOD.replace("int*", "inline int*"))
        self.expect(0, "1 of 1")
        self.write("core/used.h", "inline " + BAD)
        self.write("core/two.cpp", '#include "core/used.h"\n')
        self.commit()
        self.expect(1, "core/used.h", "core/used.h")
        self.write("core/used.h", "inline " + GOOD)
        self.expect(0, "1 of 1", "core/used.h")
        self.write("core/used.h", "inline " + BAD)  # alone
        self.expect(1, "1 did not", "core/used.h")

    def test_what_is_not_compiled_is_named(self):
        self.write("core/new.cpp", GOOD)
        self.expect(0, "core/new.cpp is in no target")

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
