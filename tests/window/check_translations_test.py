#!/usr/bin/env python3
"""Each kind of fault in a translation is found, and nothing else is one.

  check_translations_test.py LUPDATE"""

import pathlib
import sys
import tempfile
import unittest

import check_translations

lupdate = ""

SOURCE = """namespace verbcast {{
class Page : public QWidget {{
    Q_OBJECT
    void show();
}};
void Page::show() {{
    {}
}}
}}
"""
TRANSLATION = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context><name>verbcast::Page</name>{}</context>
</TS>
"""


class CheckTranslations(unittest.TestCase):
    def faults(self, code, *pairs):
        """Of a page with this code, and a file with these texts and translations."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "app/window").mkdir(parents=True)
            (root / "share/translations").mkdir(parents=True)
            (root / "app/window/page.cpp").write_text(SOURCE.format(code))
            messages = "".join(f"<message numerus='{'yes' if 'numerus' in translation else 'no'}'>"
                               f"<source>{text}</source>{translation}</message>" for text, translation in pairs)
            (root / "share/translations/verbcast_de.ts").write_text(TRANSLATION.format(messages))
            return " | ".join(check_translations.check(root, lupdate))

    def test_accepts_what_fits(self):
        self.assertEqual(self.faults('label->setText(tr("Sent %1")); setWindowTitle("Verbcast");',
                                     ("Sent %1", "<translation>%1 gesendet</translation>")), "")
        self.assertEqual(self.faults('tr("%n in %1", nullptr, 2);',
                                     ("%n in %1", "<translation><numerusform>eins in %1</numerusform>"
                                      "<numerusform>%n in %1</numerusform></translation>")), "")

    def test_a_text_without_translation(self):
        self.assertIn("no translation: verbcast::Page: \"Sent\"", self.faults('tr("Sent");'))
        self.assertIn("no translation", self.faults('tr("Sent");', ("Sent", "<translation></translation>")))
        self.assertIn("no translation",
                      self.faults('tr("Sent");', ("Sent", "<translation type='unfinished'>Gesendet</translation>")))

    def test_a_text_that_is_gone(self):
        self.assertIn("no longer in the sources", self.faults("", ("Sent", "<translation>Gesendet</translation>")))

    def test_a_text_without_tr(self):
        self.assertIn("not passed through tr(): \"Sent\"", self.faults('label->setText("Sent");'))
        self.assertIn("not passed through tr()", self.faults('new QLabel("Sent", this);'))
        self.assertIn("not passed through tr()", self.faults('pages->addTab(page, "Sent");'))

    def test_another_context(self):
        self.assertIn("Other is not what the program asks for",
                      self.faults('QCoreApplication::translate("Other", "Sent");'))

    def test_placeholders_and_underlined_letters(self):
        self.assertIn("placeholders: %1", self.faults('tr("Sent %1");', ("Sent %1", "<translation>Gesendet</translation>")))
        self.assertIn("underlined", self.faults('tr("&Send");', ("&amp;Send", "<translation>Senden</translation>")))


if __name__ == "__main__":
    lupdate = sys.argv.pop()
    unittest.main()
