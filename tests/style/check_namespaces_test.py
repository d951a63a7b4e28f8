#!/usr/bin/env python3
"""Each kind of fault is found, and nothing else is one."""

import pathlib
import tempfile
import unittest

import check_namespaces


class CheckNamespaces(unittest.TestCase):
    def faults(self, name, text):
        """Of a tree with this file."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            return check_namespaces.check(pathlib.Path(folder))

    def test_accepts_the_namespaces_of_the_tests(self):
        for name, text in (("tests/core/a_test.cpp", "namespace verbcast::testing {\nnamespace {\n"),
                           ("tests/fuzz/b_target.cpp", "namespace verbcast::fuzz {\n"),
                           ("tests/app/c.cpp", "namespace fs = std::filesystem;\nusing namespace shm;\n"),
                           ("tests/core/d.cpp", "class D : public ::testing::Test {};\nint e = verbcast::testing::f();\n"),
                           ("core/base/g.h", "namespace verbcast {\n")):
            with self.subTest(name):
                self.assertEqual(self.faults(name, text), [])

    def test_finds_another_namespace(self):
        for name, text in (("tests/core/a_test.cpp", "// A.\nnamespace verbcast {\n"),
                           ("tests/support/b.h", "// B.\nnamespace verbcast::shm {\n"),
                           ("tests/core/c_test.cpp", "// C.\nnamespace verbcast::fuzz {\n"),
                           ("tests/fuzz/d.h", "// D.\nnamespace verbcast::testing {\n"),
                           ("tests/fuzz/e.h", "// E.\nnamespace verbcast\n{\n")):
            with self.subTest(name):
                faults = self.faults(name, text)
                self.assertEqual(len(faults), 1)
                self.assertIn(f"{name}:2: ", faults[0])

    def test_finds_two_classes_of_one_name(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in (("core/a.h", "namespace verbcast {\nclass Watch final : public Base {\n"),
                               ("app/b/b.h", "namespace verbcast {\n\nstruct Watch {\n"),
                               ("core/c.h", "namespace verbcast::shm {\nclass Watch {\n"),
                               ("core/d.h", "namespace verbcast {\nclass Watch;\nstruct Outer {\n    class Watch {};\n")):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            self.assertEqual(check_namespaces.check(root),
                             ["app/b/b.h:3: verbcast::Watch is defined in core/a.h:2, too"])

    def test_finds_testing_that_could_be_either(self):
        for line in ("class A : public testing::Test {};", "    testing::KeptLog log;", "using testing::holds;"):
            with self.subTest(line):
                self.assertEqual(len(self.faults("tests/core/a_test.cpp", line)), 1)


if __name__ == "__main__":
    unittest.main()
