"""A sender and its viewer, and what arrived held against what was sent."""

import itertools
import re
import time

import program
from program import Failure

ENDED = r"connection over \S+ ended"
PICTURE = ("--size", "320x180", "--fps", "60")
_numbers = itertools.count(7500)


def listening_address(transport, host="127.0.0.1"):
    """One that nothing else in this network namespace uses."""
    number = next(_numbers)
    return f"shm://faults-{number}" if transport == "shm" else f"{transport}://{host}:{number}"


class Stream:
    """One stream over all of its senders and viewers, one of each at a time. The sender listens; its pattern shows
    the same picture at the same pts in every run."""

    def __init__(self, address, policy="latest", picture=PICTURE, sender_options=None, viewer_options=None):
        self.address, self.policy, self.picture = address, policy, picture
        self.sender_options, self.viewer_options = sender_options or {}, viewer_options or {}
        self.senders, self.viewers = [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in self.senders + self.viewers:
            one.kill()

    @property
    def sender(self):
        return self.senders[-1]

    @property
    def viewer(self):
        return self.viewers[-1]

    def start_sender(self):
        """Gives the moment from which viewers may come."""
        self.senders.append(program.send("pattern:counter", *self.picture, "--policy", self.policy,
                                         "--listen", self.address, "--open", **self.sender_options))
        return self.sender.wait_line("waiting for a viewer on")[0].at

    def start_viewer(self, *arguments):
        self.viewers.append(program.view(self.address, *arguments, **self.viewer_options))
        return self.viewer.started_at

    def newest_sent(self):
        """The pts of what the sender made last."""
        frames = self.sender.frames
        return frames[-1].pts if frames else 0

    def wait_fresh(self, since, pts, patience=program.PATIENCE):
        """The viewer's first frame after `since` that is no older than `pts`."""
        return self.viewer.wait_frame(since, lambda frame: frame.pts >= pts, patience)

    def wait_new(self, since, patience=program.PATIENCE):
        """The viewer's first frame after `since` that the present sender made."""
        def is_new(frame):
            return any(sent.pts == frame.pts for sent in list(self.sender.frames))
        return self.viewer.wait_frame(since, is_new, patience)

    def check(self, result):
        """Counts torn, repeated and missing frames, and those of the missing that no program named. To be called
        when all that was sent has been taken."""
        truth = {}
        for sender in self.senders:
            for frame in sender.frames:
                if truth.setdefault(frame.pts, frame.md5) != frame.md5:
                    raise Failure(f"the pattern shows two pictures at {frame.pts}")
        named = set()
        for one in self.senders + self.viewers:
            for line in one.lines:
                named |= _named(line.text)
        # Not the moment of its first frame: the viewer's list of it may be read before the sender's.
        begun = [sender.started_at for sender in self.senders]
        for viewer in self.viewers:
            before = None
            generation = sum(start < viewer.started_at for start in begun)
            for frame in viewer.frames:
                if truth.get(frame.pts) != frame.md5:
                    result.torn += 1
                    result.fault(f"frame {frame.sequence} at {frame.pts} arrived as {frame.md5}, was sent as "
                                 f"{truth.get(frame.pts, 'no frame at all')}")
                newest = sum(start < frame.at for start in begun)
                if before is not None and frame.sequence <= before and newest > generation:
                    generation = newest  # another sender, which counts anew
                elif before is not None:
                    result.repeated += frame.sequence <= before
                    missing = range(before + 1, frame.sequence)
                    if self.policy == "lossless" and missing:
                        result.lost += len(missing)
                        result.unnamed += len(set(missing) - named)
                before = frame.sequence


def _named(text):
    """Sequence numbers that a message says are lost: "frame 7", "frames 7 to 9"."""
    match = re.search(r"\bframes? (\d+)(?: to (\d+))? .*\blost\b", text)
    return set(range(int(match[1]), int(match[2] or match[1]) + 1)) if match else set()


def settled_footprint(one, wanted=None, patience=10.0):
    """What the program holds once that does not exceed `wanted` any more, or after `patience`."""
    deadline = time.monotonic() + patience
    while True:
        now = one.footprint()
        if wanted is None or time.monotonic() > deadline or not growth(wanted, now):
            return now
        time.sleep(0.1)


def levels(*programs):
    """What each of them holds."""
    return [(one, one.footprint()) for one in programs]


def judge_growth(result, before):
    """A fault for each program that goes on holding more than levels() found."""
    for one, level in before:
        grown = growth(level, settled_footprint(one, level))
        if grown:
            result.fault(f"{one.arguments[0]} holds more than before: {grown}")


def growth(before, after):
    """What a program holds more of than before, in words; '' for nothing. Its resident memory may breathe."""
    grown = [f"{after[key] - before[key]} {key.replace('_', ' ')}" for key in before
             if key != "resident_kib" and after[key] > before[key]]
    if after["resident_kib"] > 1.25 * before["resident_kib"] + 4096:
        grown.append(f"{after['resident_kib'] - before['resident_kib']} KiB resident")
    return ", ".join(grown)
