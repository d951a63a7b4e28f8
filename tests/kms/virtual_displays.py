"""The displays of tests/support/guest --displays, from outside: what is on them, and what is plugged in."""

import json
import pathlib
import socket
import struct


def connect(path):
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.settimeout(60)
    made.connect(str(path))
    return made


class Monitor:
    """QEMU's own monitor (QMP)."""

    def __init__(self, path):
        self.lines = connect(path).makefile("rw")
        self.lines.readline()
        self.run("qmp_capabilities")

    def run(self, command, **arguments):
        self.lines.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.lines.flush()
        while True:
            answer = json.loads(self.lines.readline())
            if "error" in answer:
                raise RuntimeError(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def picture(self, display, path):
        """(width, height, RGB bytes) of what the display shows, from 1 on."""
        self.run("screendump", filename=str(path), device="gpu", head=display - 1)
        return read_ppm(path)


def read_ppm(path):
    data = pathlib.Path(path).read_bytes()
    words, at = [], 0
    for _ in range(4):
        end = next(i for i in range(at, len(data)) if data[i:i + 1].isspace())
        words.append(data[at:end])
        at = end + 1
    assert words[0] == b"P6" and words[3] == b"255", (path, words)
    return int(words[1]), int(words[2]), data[at:]


class Plug:
    """Plugs a monitor of some size into an output: what a viewer over VNC wishes, virtio-gpu tells its guest."""

    def __init__(self, path):
        self.socket = connect(path)
        self.read(12)
        self.socket.sendall(b"RFB 003.008\n")
        kinds = self.read(self.read(1)[0])
        assert 1 in kinds, kinds  # no authentication
        self.socket.sendall(b"\x01")
        assert self.read(4) == bytes(4)
        self.socket.sendall(b"\x01")  # others stay
        self.read(20)
        self.read(struct.unpack(">I", self.read(4))[0])
        raw, desktop_size = 0, -308
        self.socket.sendall(struct.pack(">BxHii", 2, 2, raw, desktop_size))

    def read(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            assert more, "QEMU has closed its VNC"
            data += more
        return data

    def plug(self, width, height):
        self.socket.sendall(struct.pack(">BxHHBx", 251, width, height, 1) +
                            struct.pack(">IHHHHI", 0, 0, 0, width, height, 0))

    def unplug(self):
        self.plug(0, 0)
