"""Compares the interface of libverbcast with the one that is stored: exported symbols, sizes and offsets of
structs, values of enumerations.

    check_abi.py LIBRARY HEADERS [--write]      HEADERS: the folder that holds verbcast/

With --write, stores what there is. Sizes that grow at the end keep old programs working; anything else does
not, and needs another soname once that is 1.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

STORED = pathlib.Path(__file__).with_name("abi.txt")


def declarations(header):
    """Yields "struct" or "enum", its name, and the names of what is in it."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    for kind, name, body in re.findall(r"typedef (struct|enum) (\w+)(?: VC_INT)? \{(.*?)\}", text, flags=re.S):
        if kind == "enum":
            yield kind, name, [item.split("=")[0].strip() for item in body.split(",") if item.strip()]
        else:
            fields = [field for line in body.split(";") for field in line.split(",")]
            yield kind, name, [re.findall(r"(\w+)\s*(?:\[\w+\])?\s*$", field)[0] for field in fields if field.strip()]


def layouts(headers):
    lines = []
    for header in ("common.h", "receiver.h", "sender.h"):
        for kind, name, parts in declarations(headers / "verbcast" / header):
            if kind == "struct":
                lines.append(f'printf("struct {name}: %zu bytes\\n", sizeof({name}));')
                lines += [f'printf("    {part} at %zu\\n", offsetof({name}, {part}));' for part in parts]
            else:
                lines.append(f'printf("enum {name}:");')
                lines += [f'printf(" {part}=%d", (int){part});' for part in parts]
                lines.append('printf("\\n");')
    program = "#include <stdio.h>\n#include <verbcast/verbcast.h>\nint main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n"
    with tempfile.TemporaryDirectory() as folder:
        built = pathlib.Path(folder) / "layouts"
        subprocess.run(["cc", "-std=c99", f"-I{headers}", "-x", "c", "-", "-o", built], input=program, text=True, check=True)
        return subprocess.run([built], capture_output=True, text=True, check=True).stdout


def symbols(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return "".join(f"{line.split()[2]}\n" for line in sorted(listed.splitlines(), key=lambda line: line.split()[2]))


def main():
    library, headers = sys.argv[1], pathlib.Path(sys.argv[2])
    found = symbols(library) + layouts(headers)
    if "--write" in sys.argv[3:]:
        STORED.write_text(found)
        return 0
    stored = STORED.read_text()
    if found == stored:
        return 0
    before, now = stored.splitlines(), found.splitlines()
    for line in before:
        if line not in now:
            print(f"- {line}")
    for line in now:
        if line not in before:
            print(f"+ {line}")
    print(f"libverbcast's interface is not that of {STORED.name}; if that is meant: {sys.argv[0]} ... --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
