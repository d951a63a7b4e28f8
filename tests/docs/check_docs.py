#!/usr/bin/env python3
"""Checks what the documentation names: links, files and command lines.

  check_docs.py ROOT PROGRAM

Over every Markdown file of the tree at ROOT:
- relative links and pictures lead to files that exist, and their anchors to headings;
- files and folders named as code (`core/base/log/log.h`) exist;
- `verbcast ...` as code, in a block or in a sentence, is a command line that PROGRAM understands: its help knows each
  command, option and number of arguments, and an option that takes a value has one;
- options named alone (`--listen`) occur in the help of some command;
- prose is at most 120 columns wide.
Prints a line for each fault; the exit code is 1 when there is one. Needs no network."""

import pathlib
import re
import shlex
import subprocess
import sys
from functools import cache

WIDTH = 120
FOLDERS = ("app", "capture", "cmake", "core", "docs", "render", "scripts", "shaders", "share", "tests")
# What may stand before the program in a command line.
WRAPPERS = {"sudo", "xvfb-run", "taskset", "numactl", "timeout", "env", "tests/support/guest"}
PLACEHOLDER = re.compile(r"\.\.\.")


class Page:
    """A Markdown file: its headings, its code and its sentences, with the numbers of their lines."""

    def __init__(self, path):
        self.path = path
        self.anchors, self.blocks, self.prose = set(), [], []
        fenced, after_blank, in_list = False, True, False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("```"):
                fenced = not fenced
                continue
            indented = line.startswith("    ") and after_blank and not in_list
            if fenced or indented:
                self.blocks.append((number, line))
                continue  # after_blank stays: the block goes on
            if line.startswith("#"):
                self._add_anchor(line.lstrip("#").strip())
            in_list = bool(re.match(r"\s*([-*]|\d+\.) ", line)) or (in_list and line.strip() != "")
            after_blank = line.strip() == ""
            self.prose.append((number, line))

    def _add_anchor(self, heading):
        """As GitHub makes them."""
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        anchor, count = slug, 0
        while anchor in self.anchors:
            count += 1
            anchor = f"{slug}-{count}"
        self.anchors.add(anchor)


class Help:
    """What `PROGRAM COMMAND... --help all` says: commands, options and whether they take a value, and arguments."""

    def __init__(self, text):
        # Every command has these; help does not list them.
        self.subcommands, self.options = set(), {"--help": 1, "-h": 0}
        self.value_optional = {"--help"}
        self.positionals, self.variadic = 0, False
        section = ""
        for line in text.splitlines():
            if line.startswith("Usage: "):
                self._add_arguments(line.partition("[OPTIONS]")[2])
            elif re.match(r"\w[\w ]*:$", line):
                section = line.rstrip(":")
            elif entry := re.match(r"  (\S.*?)(?=  |$)", line):
                if section == "Commands":
                    self.subcommands.add(entry[1].split()[0])
                elif entry[1].startswith("-"):
                    self._add_option(entry[1])
            for name in re.findall(r"\(also (-[\w-]+)\)", line):
                self.options[name] = 1

    def _add_option(self, entry):
        """"-t, --length TIME", "--listen [ADDRESS]"."""
        words = entry.split()
        names = [word.rstrip(",") for word in words if word.startswith("-")]
        value = words[len(names):]
        for name in names:
            if value and value[0].startswith("["):
                self.value_optional.add(name)
            self.options[name] = len(value)

    def _add_arguments(self, usage):
        """" [URL...]", " -- PROGRAM [ARGUMENTS]"."""
        arguments, program, _ = usage.partition(" -- ")
        self.variadic |= program != ""
        for word in arguments.split():
            self.positionals += 1
            self.variadic |= "..." in word


class Checker:
    def __init__(self, root, program):
        self.root, self.program = root, program
        self.faults = []

    def fault(self, page, number, text):
        self.faults.append(f"{page.path.relative_to(self.root)}:{number}: {text}")

    @cache
    def help(self, *command):
        done = subprocess.run([self.program, *command, "--help", "all"], capture_output=True, text=True, timeout=60, check=False)
        return Help(done.stdout) if done.returncode == 0 else None

    @cache
    def all_options(self):
        """Of every command."""
        options, commands = set(), [()]
        while commands:
            command = commands.pop()
            known = self.help(*command)
            options |= set(known.options)
            commands += [(*command, each) for each in known.subcommands]
        return options

    @cache
    def page(self, path):
        return Page(path)

    def check(self):
        files = [*self.root.glob("*.md"), *(path for folder in FOLDERS for path in (self.root / folder).rglob("*.md"))]
        for path in sorted(files):
            self.check_page(self.page(path))
        return self.faults

    def check_page(self, page):
        for number, line in page.prose:
            self.check_links(page, number, line)
            for code in re.findall(r"`([^`]+)`", line):
                self.check_code(page, number, code.replace("\\|", "|"))
            if len(line) > WIDTH and not line.startswith("|"):
                self.fault(page, number, f"{len(line)} columns; {WIDTH} are enough")
        for number, line in joined(page.blocks):
            for command in commands_in(line):
                self.check_command(page, number, command)

    def check_links(self, page, number, line):
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = (page.path.parent / name).resolve() if name else page.path
            if not path.exists():
                self.fault(page, number, f"{target}: there is no such file")
            elif anchor and (path.suffix != ".md" or anchor not in self.page(path).anchors):
                self.fault(page, number, f"{target}: there is no such heading")

    def check_code(self, page, number, code):
        if re.match(r"verbcast\b(?!-)", code):
            for command in commands_in(code):
                self.check_command(page, number, command)
        elif re.fullmatch(r"--[a-z][a-z0-9-]*", code):
            if code not in self.all_options() and code not in self.script_options():
                self.fault(page, number, f"{code}: no command has that option")
        elif re.fullmatch(r"(%s)/[\w./-]+" % "|".join(FOLDERS), code) and not (self.root / code).exists():
            self.fault(page, number, f"{code}: there is no such file")

    @cache
    def script_options(self):
        return {option for script in (self.root / "scripts").iterdir() if script.is_file()
                for option in re.findall(r"--[a-z][a-z0-9-]*", script.read_text(encoding="utf-8"))}

    def check_command(self, page, number, words):
        shown = " ".join(["verbcast", *words])
        words, command, known = list(words), [], self.help()
        if words and words[0] == "help":  # and the commands that it explains
            words.pop(0)
        while words and words[0] in known.subcommands:
            command.append(words.pop(0))
            known = self.help(*command)
        arguments = []
        while words:
            word = words.pop(0)
            if word == "--":
                arguments += words
                break
            if word == "-" or not word.startswith("-"):
                arguments.append(word)
                continue
            name, equals, _ = word.partition("=")
            if name not in known.options:
                return self.fault(page, number, f"{shown}: {' '.join(['verbcast', *command])} has no option {name}")
            for _ in range(0 if equals else known.options[name]):
                if words and (words[0] == "-" or not words[0].startswith("-")):
                    words.pop(0)
                elif name not in known.value_optional:
                    return self.fault(page, number, f"{shown}: {name} needs a value")
        if PLACEHOLDER.search(shown) or known.variadic or len(arguments) <= known.positionals:
            return None
        if not command and len(arguments) == 1 and arguments[0].endswith(".verbcast"):
            return None  # as file managers open a session
        if known.subcommands and arguments[0].islower():
            return self.fault(page, number, f"{shown}: there is no command {arguments[0]}")
        return self.fault(page, number, f"{shown}: takes {known.positionals} arguments, has {len(arguments)}")


def joined(blocks):
    """Lines of blocks, those that end with a backslash with the next."""
    number, text = None, ""
    for at, line in blocks:
        number = at if number is None else number
        text += line.rstrip("\\")
        if not line.endswith("\\"):
            yield number, text
            number, text = None, ""


def commands_in(line):
    """The words behind `verbcast` of each such command in a line of shell."""
    if not re.search(r"(^|[\s/])verbcast(\s|$)", line):
        return
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    try:
        words = list(lexer)
    except ValueError:
        return
    command, skip = [], False
    for word in [*words, ";"]:
        if skip:  # the file of a redirection
            skip = False
        elif re.fullmatch(r"[|&;()]+", word):
            yield from _own(command)
            command = []
        elif re.fullmatch(r"[<>&]+", word):
            skip = True
            if command and command[-1].isdigit():
                command.pop()  # 3>file
        else:
            command.append(word)


def _own(command):
    while command and re.match(r"\w+=", command[0]):
        command = command[1:]
    own = [at for at, word in enumerate(command) if word == "verbcast" or word.endswith("/verbcast")]
    if own and (own[0] == 0 or command[0] in WRAPPERS):
        yield command[own[0] + 1:]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    faults = Checker(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]).check()
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
