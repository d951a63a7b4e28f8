#!/usr/bin/env python3
"""Shows once a second how the brightness of a stream's pixels is distributed, from black to white.

  receive_frames.py [URL]        the sender:  verbcast send FILE, or send_frames.py
"""
import sys
import time

import numpy
import verbcast

BARS = "▁▂▃▄▅▆▇█"


def brightness(frame):
    """Of RGB the green component, of all others the luma."""
    if frame.format.pixel_format in ("rgba", "bgra", "rgb24"):
        return frame.array[..., 1]
    if frame.format.pixel_format in ("uyvy422", "yuyv422"):
        return frame.array[..., int(frame.format.pixel_format == "uyvy422")]
    return frame.planes[0]


def main(url=None):
    with verbcast.Receiver(url) as receiver:
        due = 0.0
        for frame in receiver.frames(newest=True):
            receiver.shown(frame)
            if time.monotonic() >= due:
                due = time.monotonic() + 1
                counts, _ = numpy.histogram(brightness(frame), bins=64)
                print(f"{frame.sequence:8}", "".join(BARS[7 * count // counts.max()] for count in counts), flush=True)
        print(receiver.connection.text, receiver.stats(), sep="\n")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (verbcast.Error, KeyboardInterrupt) as error:
        sys.exit(f"receive_frames: {error}")
