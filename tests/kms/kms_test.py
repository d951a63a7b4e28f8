"""Streams on two displays of a graphics card without a desktop, in the guest, looked at from outside it.

What QEMU says that a display shows is compared with what was sent, pixel by pixel. For tests/guest/one_boot.py, in whose
guest in_guest runs; it takes what Test makes in its folder of displays, and answers to what Test.done() leaves there."""

import json
import pathlib
import random
import struct
import subprocess
import time
import zlib

import virtual_displays

PATIENCE = 120  # seconds, for a machine with much else to do
ONE, TWO = (640, 480), (800, 600)


def noise(size, seed):
    return random.Random(seed).randbytes(size[0] * size[1] * 3)


def png(size, pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    width, height = size
    rows = b"".join(b"\0" + pixels[row * width * 3:(row + 1) * width * 3] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def half_in_the_middle(size, pixels, which):
    """What a tile for the left (0) or right half (1) of a picture shows on a display as large as the picture."""
    width, height = size
    black, half = bytes(width // 4 * 3), width // 2 * 3
    halves = (pixels[(2 * row + which) * half:(2 * row + which + 1) * half] for row in range(height))
    return b"".join(black + row + black for row in halves)


class Test:
    def __init__(self, guest, folder, verbcast, further):
        """`guest`, which must not run yet, has line() and unread(); it is started with --displays FOLDER. `further`: what
        in_guest does with the word further."""
        self.guest, self.folder, self.further = guest, folder, further
        self.one, self.two = noise(ONE, 1), noise(TWO, 2)
        self.still = noise(ONE, 3)
        (self.folder / "still.png").write_bytes(png(ONE, self.still))
        (self.folder / "one.rgb").write_bytes(self.one)
        (self.folder / "two.rgb").write_bytes(self.two)
        subprocess.run([verbcast, "wall", "new", "2x1", "--size", f"{ONE[0] // 2}x{ONE[1]}", "--output",
                        self.folder / "wall.json"], check=True, stderr=subprocess.DEVNULL)
        self.lines = []

    # What the guest says.
    def until(self, text):
        """Reads on to the line that holds the text, and gives all lines since the last call."""
        begin = len(self.lines)
        while (line := self.guest.line()) is not None:
            if line.startswith("suite: "):  # not ours any more
                self.guest.unread(line)
                break
            self.lines.append(line)
            if text in line:
                return self.lines[begin:]
        raise AssertionError(f"the guest has ended before it said {text!r}")

    def step(self, name):
        return self.until(f"step: {name}")

    def done(self, name):
        (self.folder / "shared" / name).touch()

    # What the displays show.
    def shot(self, display):
        return self.monitor.picture(display, self.folder / f"shot{display}.ppm")

    def shows(self, display, size, pixels):
        """Waits until the display shows exactly that."""
        end = time.monotonic() + PATIENCE
        while True:
            width, height, seen = self.shot(display)
            if (width, height) == size and seen == pixels:
                print(f"display {display} shows the {width}x{height} picture, pixel by pixel", flush=True)
                return
            if time.monotonic() > end:
                equal = sum(a == b for a, b in zip(seen, pixels)) if (width, height) == size else 0
                raise AssertionError(f"display {display} shows {width}x{height}, {equal} of {len(pixels)} bytes as sent")
            time.sleep(0.2)

    def has(self, lines, *texts):
        for text in texts:
            assert any(text in line for line in lines), f"not said: {text!r}"

    def run(self):
        try:
            self.look()
        except BaseException:
            self.done("failed")
            raise

    def look(self):
        (self.look_further if self.further else self.look_everyday)()

    def look_everyday(self):
        self.refusals(self.step("before"))
        self.monitor = virtual_displays.Monitor(self.folder / "monitor")
        self.plug = virtual_displays.Plug(self.folder / "display2")
        console = self.shot(1)
        self.done("before")
        self.both_displays()
        self.consoles()
        end = time.monotonic() + PATIENCE
        while self.shot(1) != console:
            assert time.monotonic() < end, "the console did not come back"
            time.sleep(0.2)
        print("display 1 shows the console again", flush=True)
        self.done("after")

    def look_further(self):
        self.step("tiles-shown")
        self.monitor = virtual_displays.Monitor(self.folder / "monitor")
        self.plug = virtual_displays.Plug(self.folder / "display2")
        self.tiles()
        self.together()

    def refusals(self, lines):
        self.has(lines, "devices:   card0-Virtual-1: 640x480", "devices:   card0-Virtual-2: no display")
        said = {}
        for line in lines:
            if line.startswith("refused: "):
                said[line.removeprefix("refused: ")] = here = []
            elif said:
                here.append(line)
        self.has(said["no-such-connector"], "--drm HDMI-A-9: no connector has that name", "card0-Virtual-1: 640x480",
                 "exit: 2")
        self.has(said["no-such-mode"], "--mode 641x479: Virtual-1 has no such mode", "exit: 2")
        self.has(said["not-permitted"], "Permission denied", "usermod -aG video", "exit: 8")

    def both_displays(self):
        self.step("still-shown")
        self.shows(1, ONE, self.still)
        self.done("still-shown")
        self.step("one-shown")
        self.shows(1, ONE, self.one)
        self.done("one-shown")
        lines = self.step("two-plugged")
        self.has(lines, "another program has the displays (it is DRM master); open there: verbcast-kms (pid", "exit: 8")
        self.plug.plug(*TWO)
        self.shows(2, TWO, self.two)
        self.shows(1, ONE, self.one)
        self.done("two-plugged")
        self.step("two-unplugged")
        self.plug.unplug()
        self.until("Virtual-2: the display was unplugged")
        self.shows(1, ONE, self.one)
        self.done("two-unplugged")
        self.step("two-back")
        self.plug.plug(*TWO)
        self.until("Virtual-2: a display is there: 800x600")
        self.shows(2, TWO, self.two)
        self.done("two-back")

    def both_stats(self):
        streams = json.loads((self.folder / "shared" / "both.json").read_text())["streams"]
        for stream, size in zip(streams, (ONE, TWO)):
            self.stats(stream["screen"], size, "atomic")
        assert [stream["screen"]["unplugged"] for stream in streams] == [0, 1]
        assert streams[0]["screen"]["interval_us"]["count"] > 0

    def stats(self, screen, size, flips):
        print(f"stats: {json.dumps(screen)}", flush=True)
        assert (screen["width"], screen["height"]) == size
        assert screen["page_flips"] == flips and screen["shown_by"] == "the display"
        interval = screen["interval_us"]
        assert screen["flips"] > interval["count"]
        assert interval["count"] == 0 or 0 < interval["p50"] <= interval["max"]

    def consoles(self):
        """A viewer on a console gives the displays up to one on another, with legacy page flips, and takes them back."""
        begin = len(self.lines)
        self.has(self.step("consoles-other"), "console 2: exit 0")
        self.until(", legacy page flips); SIGTERM ends it")
        self.shows(1, TWO, self.two)
        self.done("consoles-other")
        self.has(self.step("consoles-text"), "other: exit 130")
        self.stats(json.loads((self.folder / "shared" / "legacy.json").read_text())["screen"], TWO, "legacy")
        width, height, seen = self.shot(1)
        assert seen not in (self.one, self.two), f"a stream of {width}x{height} in place of the second console"
        self.done("consoles-text")
        self.has(self.step("consoles-back"), "console 1: exit 0")
        self.shows(1, ONE, self.one)
        self.done("consoles-back")
        self.has(self.step("after"), "viewer: exit 130", "console 2: exit 0", "console 1: exit 0")
        self.has(self.lines[begin:], "another console is shown: the display is given up", "a display is there: 640x480")
        self.both_stats()

    def tiles(self):
        self.plug.plug(*ONE)
        for display in (1, 2):
            self.shows(display, ONE, half_in_the_middle(ONE, self.one, display - 1))
        self.done("tiles-shown")

    def together(self):
        """Both displays go on showing frames at the same time, by the page flips' times."""
        self.has(self.until("together: exit"), "together: exit 0")
        for stream in json.loads((self.folder / "shared" / "together.json").read_text())["streams"]:
            own = stream["together"]["own"]
            print(f"together: {json.dumps(own)}", flush=True)
            assert own["shown_by"] == "the display" and own["frames_shown"] + own["frames_late"] > 0
            assert stream["frames_shown"] >= 20 and stream["screen"]["flips"] >= 20
