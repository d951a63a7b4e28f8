"""The network between sender and viewer: cut and back, losing, reordering, late, slow."""

import re
import time

from deaths import NOTICE_GOAL, RECOVER_GOAL, finish
from figures import Result
from network import Cable
from stream import ENDED, Stream, judge_growth, levels

HOST = "10.78.0.1"
IMPAIRED = 3.0  # seconds, each time


def _stream(cable, policy):
    # `ip netns exec` becomes the program: signals and /proc/PID are its own.
    return Stream(f"tcp://{HOST}:7400", policy, sender_options={"prefix": cable.on(1)},
                  viewer_options={"prefix": cable.on(2)})


def cut(seconds, how, policy, trials, random):
    """`how`: "cable" (packets vanish) or "link" (the viewer's interface goes down)."""
    result = Result(f"{how} cut for {seconds} s, tcp, {policy}")
    with Cable() as cable, _stream(cable, policy) as stream:
        stream.start_sender()
        stream.start_viewer()
        stream.viewer.wait_frame()
        before = None
        for trial in range(trials):
            time.sleep(random.uniform(0.5, 1.0))
            # Reconnecting has a rhythm: the network comes back anywhere in it.
            jitter = random.uniform(0, 1) if seconds > NOTICE_GOAL else 0
            _cut_once(cable, stream, seconds + jitter, how, result)
            result.trials += 1
            if trial == 0:
                time.sleep(1.5)
                before = levels(stream.sender, stream.viewer)
        judge_growth(result, before)
        finish(stream, result)
    result.judge(NOTICE_GOAL, RECOVER_GOAL)
    return result


def _cut_once(cable, stream, seconds, how, result):
    cable.cut() if how == "cable" else cable.link(2, "down")
    at = time.monotonic()
    if seconds > NOTICE_GOAL:
        result.notice += [one.wait_line(ENDED, at)[0].at - at for one in (stream.viewer, stream.sender)]
    time.sleep(max(0.0, at + seconds - time.monotonic()))
    newest = stream.newest_sent()
    cable.join() if how == "cable" else cable.link(2, "up")
    back = time.monotonic()
    result.recover.append(stream.wait_fresh(back, newest).at - back)


def impaired(name, netem, policy, trials, random, recover_goal):
    """The stream goes on through what netem does to it. `recover`: to a fresh picture once the network is well."""
    result = Result(f"{name}, tcp, {policy}")
    rates, reconnections = [], 0
    with Cable() as cable, _stream(cable, policy) as stream:
        stream.start_sender()
        stream.start_viewer()
        stream.viewer.wait_frame()
        for _ in range(trials):
            time.sleep(random.uniform(0.5, 1.0))
            cable.impair(*netem)
            begun = time.monotonic()
            time.sleep(IMPAIRED)
            ended = time.monotonic()
            cable.impair()
            newest = stream.newest_sent()
            back = time.monotonic()
            result.recover.append(stream.wait_fresh(back, newest).at - back)
            result.trials += 1
            during = sum(begun <= frame.at <= ended for frame in stream.viewer.frames)
            rates.append(during / (ended - begun))
            reconnections += sum(begun <= line.at and re.search(ENDED, line.text) is not None and line.at <= ended
                                 for line in stream.viewer.lines)
            if not during:
                result.fault("no picture meanwhile")
        result.note = f"{min(rates):.1f} to {max(rates):.1f} of 60 fps meanwhile"
        if reconnections:
            result.note += f", {reconnections} reconnections"
        finish(stream, result)
    result.judge(recover_goal=recover_goal)
    return result
