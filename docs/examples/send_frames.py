#!/usr/bin/env python3
"""Sends a moving gradient and a tone, 640x480 at 60 fps, and follows its viewers' pointer.
  send_frames.py [URL [FRAMES]]        then, on any machine:  verbcast view HOST"""
import itertools
import sys
import time

import numpy
import verbcast

WIDTH, HEIGHT, FPS, RATE = 640, 480, 60, 48000


def draw(picture, number, x, y):
    picture[..., 0] = (numpy.arange(WIDTH) + number) % 256
    picture[..., 1:] = 80
    picture[max(y - 20, 0):max(y + 20, 0), max(x - 20, 0):max(x + 20, 0)] = 255


def main(url=None, frames=None):
    tone = 0.1 * numpy.sin(numpy.arange(RATE // FPS) * (2 * numpy.pi * 480 / RATE)).astype(numpy.float32)
    x, y, serial = WIDTH // 2, HEIGHT // 2, 0
    with verbcast.Sender(url, allow_input=True, sound=True) as sender:
        sender.format("rgb24", WIDTH, HEIGHT, FPS)
        print("waiting for a viewer on", *sender.addresses, flush=True)
        sender.wait()
        began = time.monotonic()
        for number in range(int(frames)) if frames else itertools.count():
            time.sleep(max(began + number / FPS - time.monotonic(), 0))
            for event in sender.inputs():
                x, y, serial = int(event.x), int(event.y), event.serial
            sender.send_sound(tone, RATE)
            with sender.frame() as frame:
                draw(frame.array, number, x, y)
                frame.input_serial = serial


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (verbcast.Error, KeyboardInterrupt) as error:
        sys.exit(f"send_frames: {error}")
