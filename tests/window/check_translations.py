#!/usr/bin/env python3
"""Each text of the windows has a translation in every language, and the translations fit.

  check_translations.py ROOT LUPDATE

Prints what is wrong, a line each, and exits with 1:
- a text that goes to a widget without tr();
- a text of the sources that a share/translations/*.ts lacks, has left unfinished, or has no more;
- a text that lupdate files under another context than the program will ask for;
- placeholders (%1, %n) or an underlined letter (&) in only one of text and translation."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SHOWN = re.compile(
    r"(?:setText|setToolTip|setAccessibleName|setAccessibleDescription|setWindowTitle|setTabToolTip|setTitle|addTab|addMenu|"
    r"addHeading|addField|addButton|showToast|new Q(?:Label|PushButton|ToolButton|CheckBox|RadioButton|GroupBox))"
    r"\((?:\w+, )?\s*\"(?P<text>[^\"]*[A-Za-z]{2}[^\"]*)\"")
NAMES = {"Verbcast"}  # the same in every language
LOST = re.compile(r"lacks Q_OBJECT|cannot be called")


def texts(path):
    """{(context, source): [translation, ...]}; no translations where they are unfinished."""
    found = {}
    for context in xml.etree.ElementTree.parse(path).getroot().iter("context"):
        for message in context.iter("message"):
            if message.find("translation").get("type") in ("vanished", "obsolete"):
                continue
            translation = message.find("translation")
            forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
            finished = translation.get("type") is None and all(forms)
            found[context.findtext("name"), message.findtext("source")] = forms if finished else []
    return found


def placeholders(text):
    return set(re.findall(r"%(?:L?\d+|n)", text))


def mnemonics(text):
    return len(re.findall(r"&[^&\s]", text.replace("&&", "")))


def unfit(source, translation, plural):
    """What a translation has that its source lacks, or the other way round."""
    wanted, there = placeholders(source), placeholders(translation)
    if plural:  # "one frame" needs no number
        wanted, there = wanted - {"%n"}, there - {"%n"}
    if wanted != there:
        return f"placeholders: {', '.join(sorted(wanted ^ there))}"
    if mnemonics(source) != mnemonics(translation):
        return "one has an underlined letter (&), the other has not"
    return None


def check(root, lupdate):
    faults = []
    window = root / "app/window"
    for source in sorted(window.rglob("*.cpp")):
        for match in SHOWN.finditer(source.read_text()):
            if match["text"] not in NAMES:
                faults.append(f"{source.relative_to(root)}: not passed through tr(): \"{match['text']}\"")
    for path in sorted((root / "share/translations").glob("*.ts")):
        name = path.relative_to(root)
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / path.name
            shutil.copyfile(path, copy)
            run = subprocess.run([lupdate, "-no-obsolete", "-locations", "none", window, "-I", root, "-ts", copy],
                                 capture_output=True, text=True, check=True)
            current, written = texts(copy), texts(path)
        faults += [f"{name}: lupdate: {line}" for line in (run.stdout + run.stderr).splitlines() if LOST.search(line)]
        for (context, source), forms in current.items():
            if not context.startswith("verbcast::"):
                faults.append(f"{name}: {context} is not what the program asks for: \"{source}\"")
            if not forms:
                faults.append(f"{name}: no translation: {context}: \"{source}\"")
            for form in forms:
                if fault := unfit(source, form, len(forms) > 1):
                    faults.append(f"{name}: \"{source}\", \"{form}\": {fault}")
        for context, source in written.keys() - current.keys():
            faults.append(f"{name}: no longer in the sources: {context}: \"{source}\"")
    return faults


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    faults = check(pathlib.Path(sys.argv[1]), sys.argv[2])
    for fault in faults:
        print(fault)
    if faults:
        print("The target update_translations brings new texts into the files; CONTRIBUTING.md says more.")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
