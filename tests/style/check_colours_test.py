#!/usr/bin/env python3
"""Each way to name a colour is found, and nothing else is one."""

import pathlib
import tempfile
import unittest

import check_colours


class CheckColours(unittest.TestCase):
    def faults(self, line, name="app/window/main/page.cpp"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(line + "\n")
            return check_colours.check(pathlib.Path(folder))

    def test_finds_colours(self):
        for line in ("QColor(0x7a, 0xb0, 0xf0)", "QColor(0, 0, 0, 150)", "const QColor grey{1, 2, 3};", "QColor(Qt::black)",
                     "image.fill(Qt::white);", "qRgb(0, 0, 0)", "qRgba(r, g, b, 9)", '"color: #fff"', '"#5ac8b4"',
                     '"background: rgba(0, 0, 0, 50%)"', "Qt::darkGray", "Qt::red"):
            with self.subTest(line):
                self.assertEqual(len(self.faults(line)), 1)

    def test_leaves_the_rest_alone(self):
        for line in ("const QColor& colour = theme::colours().text;", "QColor colour(int at);", "#include <QColor>",
                     "image.fill(Qt::transparent);", "painter.setBrush(Qt::NoBrush);", '"#problem { padding: 4px; }"',
                     "// as qRgb() makes them", "Qt::AlignRight"):
            with self.subTest(line):
                self.assertEqual(self.faults(line), [])
        self.assertEqual(self.faults("QColor(1, 2, 3)", check_colours.PALETTES), [])
        self.assertEqual(self.faults("QColor(1, 2, 3)", "tests/window/some_test.cpp"), [])


if __name__ == "__main__":
    unittest.main()
