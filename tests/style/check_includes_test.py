#!/usr/bin/env python3
"""Each kind of fault is found, and nothing else is one."""

import pathlib
import tempfile
import unittest

import check_includes


class CheckIncludes(unittest.TestCase):
    def faults(self, files):
        """Of a tree with these files: a name and what it includes, quotes or brackets with it."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, includes in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("".join(f"#include {each}\n" for each in includes))
            return check_includes.check(root)

    def test_accepts_the_directions_of_the_tree(self):
        self.assertEqual(self.faults({
            "core/base/a.h": ["<vector>"],
            "core/transport/registry.h": ['"core/base/a.h"'],
            "core/transport/tcp/t.h": ['"core/transport/registry.h"'],
            "core/transport/registry.cpp": ['"core/transport/tcp/t.h"', '"made/by/the_build.h"'],
            "core/transport/rdma/verbs/v.cpp": ["<infiniband/verbs.h>"],
            "render/r.h": ['"core/base/a.h"', "<epoxy/gl.h>"],
            "capture/gl/g.cpp": ['"render/r.h"'],
            "app/window/w.cpp": ["<QWidget>", '"capture/gl/g.h"'],
        }), [])

    def test_finds_what_points_the_wrong_way(self):
        files = {"core/base/a.h": [], "render/r.h": [], "app/x.h": []}
        for includer, included in (("core/c.cpp", "render/r.h"), ("capture/c.cpp", "render/r.h"),
                                   ("render/r.cpp", "app/x.h")):
            with self.subTest(includer):
                faults = self.faults(files | {includer: [f'"{included}"']})
                self.assertEqual(len(faults), 1)
                self.assertIn(f"{includer}:1: ", faults[0])

    def test_finds_libraries_out_of_place(self):
        for name, header in (("core/a.cpp", "<QWidget>"), ("app/commands/send/s.cpp", "<QtCore/qglobal.h>"),
                             ("core/a.h", "<infiniband/verbs.h>"), ("core/transport/rdma/verbs/v.cpp", "<rdma/fi_eq.h>"),
                             ("app/b.cpp", "<libavcodec/avcodec.h>"), ("core/b.cpp", "<CLI/CLI.hpp>")):
            with self.subTest(header):
                self.assertEqual(len(self.faults({name: [header]})), 1)

    def test_finds_folders_that_include_each_other(self):
        faults = self.faults({"app/a/one.h": ['"app/b/two.h"'], "app/b/two.h": [], "app/b/more.h": ['"app/c/three.h"'],
                              "app/c/three.h": ['"app/a/one.h"']})
        self.assertEqual(len(faults), 4)
        self.assertIn("each other", faults[0])


if __name__ == "__main__":
    unittest.main()
