#!/usr/bin/env python3
"""Which folder may include what.

  check_includes.py ROOT

Prints what is wrong, a line each, and exits with 1. The rules:
- a top-level folder includes those that USES names for it, and itself;
- a library of somebody else's is included where LIBRARIES says, and nowhere else;
- folders include each other in one direction only. A file in REGISTRIES lists all kinds of something, so it may
  include the folders of the kinds, which include its own."""

import collections
import re

import command

USES = {
    "core": [],
    "render": ["core"],
    "capture": ["core"],
    "capture/gl": ["core", "render"],
    "app": ["core", "render", "capture"],
}
LIBRARIES = {
    r"Q[A-Z]\w*|(Qt\w*|qpa)/.*": ["app/window", "app/programs/window_main.cpp"],
    r"epoxy/.*|GL/.*|EGL/.*": ["render", "app/preload"],
    r"xf86drm.*|drm_fourcc\.h|gbm\.h": ["render/kms"],
    r"lib(av|sw)\w*/.*": ["capture"],
    r"(infiniband/|rdma/rdma_).*": ["core/transport/rdma/verbs"],
    r"rdma/f(i_|abric).*": ["core/transport/rdma/ofi"],
    r"cuda\w*\.h": ["core/gpu/cuda"],
    r"xcb/.*|X11/.*": ["capture/screen", "app/window/desktop"],
    r"wayland-.*": ["app/window/desktop"],
    r"(pipewire|spa)/.*": ["core/pipewire", "capture/screen/portal"],
    r"systemd/.*": ["capture/screen/portal"],
    r"alsa/.*": ["core/alsa"],
    r"openssl/.*": ["core/session/trust", "core/transport/rdma/voucher.cpp", "core/video"],
    r"samplerate\.h": ["render/sound"],
    r"pybind11/.*|Python\.h": ["core/api/python"],
    r"CLI/.*": ["app"],
    r"pango/.*|cairo.*": ["render"],
}
REGISTRIES = [
    "core/transport/registry.cpp",
    "capture/open_source.cpp",
    "app/preload/preload.cpp",
]


def within(path, folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def most_special(path):
    """The longest folder of USES that holds the file."""
    return max((folder for folder in USES if within(path, [folder])), key=len)


def circles(arrows):
    """Groups of folders that reach each other: Tarjan's strongly connected components with several members."""
    index, low, stack, found = {}, {}, [], []

    def visit(folder):
        index[folder] = low[folder] = len(index)
        stack.append(folder)
        for other in arrows.get(folder, {}):
            if other not in index:
                visit(other)
                low[folder] = min(low[folder], low[other])
            elif other in stack:
                low[folder] = min(low[folder], index[other])
        if low[folder] == index[folder]:
            group = stack[stack.index(folder):]
            del stack[stack.index(folder):]
            if len(group) > 1:
                found.append(sorted(group))

    for folder in sorted(arrows):
        if folder not in index:
            visit(folder)
    return found


def check(root):
    faults = []
    arrows = collections.defaultdict(dict)  # folder, folder that it includes: the first line that does
    files = [path for top in {folder.split("/")[0] for folder in USES} for path in (root / top).rglob("*")
             if path.suffix in (".h", ".cpp")]
    for path in sorted(files):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not match:
                continue
            where, (bracket, included) = f"{name}:{number}", match.groups()
            if bracket == "<":
                for library, homes in LIBRARIES.items():
                    if re.fullmatch(library, included) and not within(name, homes):
                        faults.append(f"{where}: <{included}> belongs to {', '.join(homes)}")
                continue
            if not (root / included).is_file():
                continue  # made by the build
            special = most_special(name)
            if not within(included, USES[special] + [special, special.split("/")[0]]):
                faults.append(f"{where}: {special} may not include {included}")
            folder, other = name.rpartition("/")[0], included.rpartition("/")[0]
            if folder != other and name not in REGISTRIES:
                arrows[folder].setdefault(other, f"{where} includes {included}")
    for group in circles(arrows):
        faults.append("these folders include each other:")
        faults += [f"    {arrows[a][b]}" for a in group for b in group if b in arrows[a]]
    return faults


if __name__ == "__main__":
    command.run(__doc__, check)
