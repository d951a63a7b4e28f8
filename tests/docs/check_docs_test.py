#!/usr/bin/env python3
"""Each kind of fault in a page is found, and nothing else is one.

  check_docs_test.py PROGRAM"""

import pathlib
import sys
import tempfile
import unittest

import check_docs

program = ""


class CheckDocs(unittest.TestCase):
    def faults(self, text):
        """Of a page in a small tree of its own, without the page's name."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "core").mkdir()
            (root / "scripts").mkdir()
            (root / "core/error.h").write_text("")
            (root / "OTHER.md").write_text("# Other\n\n## How `it` is done: twice\n\n## Twice\n\n## Twice\n")
            (root / "page.md").write_text(text)
            return [fault.removeprefix("page.md:") for fault in check_docs.Checker(root, program).check()]

    def test_accepts_what_is_there(self):
        self.assertEqual(self.faults("""# Page

[a](#page) [b](OTHER.md#how-it-is-done-twice) [c](OTHER.md#twice-1)
[d](https://example.org/nothing) `core/error.h` `--listen`

    ffmpeg -i in.mkv -f nut - | verbcast send - --size 640x480 > log 2>&1   # and a word
    VERBCAST_KEY="$(cat key)" verbcast view --listen --fullscreen
    verbcast run --fps 30 -- ./simulator --full
    verbcast pipe relay --from-listen --to tcp://b
    verbcast bench --compare old.json new.json
    verbcast send pattern \\
        --fps 60
    cmake --build --preset release --target verbcast
    verbcast studio.verbcast

Ends `verbcast --version`.
"""), [])

    def test_finds_a_misspelt_option(self):
        self.assertEqual(self.faults("Text\n\n    verbcast send clip.mp4 --fromat nv12\n"),
                         ["3: verbcast send clip.mp4 --fromat nv12: verbcast send has no option --fromat"])
        self.assertEqual(self.faults("Say `verbcast view --kiosque`.\n"),
                         ["1: verbcast view --kiosque: verbcast view has no option --kiosque"])
        self.assertEqual(self.faults("Say `--alow-input`.\n"), ["1: --alow-input: no command has that option"])

    def test_finds_an_option_of_another_command(self):
        self.assertEqual(self.faults("```\ncat x | verbcast pipe send --kiosk\n```\n"),
                         ["2: verbcast pipe send --kiosk: verbcast pipe send has no option --kiosk"])

    def test_finds_a_command_that_is_none(self):
        self.assertEqual(self.faults("\n    verbcast sned clip.mp4\n"), ["2: verbcast sned clip.mp4: there is no command sned"])
        self.assertEqual(self.faults("\n    verbcast pipe receive\n"), ["2: verbcast pipe receive: there is no command receive"])

    def test_counts_values_and_arguments(self):
        self.assertEqual(self.faults("\n    verbcast send clip.mp4 --size --loop\n"),
                         ["2: verbcast send clip.mp4 --size --loop: --size needs a value"])
        self.assertEqual(self.faults("\n    verbcast relay one two\n"),
                         ["2: verbcast relay one two: takes 1 arguments, has 2"])
        self.assertEqual(self.faults("\n    verbcast bench --compare old.json\n"),
                         ["2: verbcast bench --compare old.json: --compare needs a value"])

    def test_finds_links_and_files_that_lead_nowhere(self):
        self.assertEqual(self.faults("[a](gone.md) [b](OTHER.md#thrice) [c](#gone) ![d](gone.png) `core/gone.h`\n"),
                         ["1: gone.md: there is no such file", "1: OTHER.md#thrice: there is no such heading",
                          "1: #gone: there is no such heading", "1: gone.png: there is no such file",
                          "1: core/gone.h: there is no such file"])

    def test_finds_wide_prose(self):
        self.assertEqual(self.faults("a " * 61 + "\n\n| " + "a " * 100 + "|\n"), ["1: 122 columns; 120 are enough"])


if __name__ == "__main__":
    program = sys.argv.pop()
    unittest.main()
