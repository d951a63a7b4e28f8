"""Sender or receiver killed, or stopped and continued, at random moments."""

import signal
import time

from figures import Result
from stream import ENDED, Stream, judge_growth, levels, listening_address

# Both from the issue of every transport's contract: a dead peer is noticed, and a returned one shown, within a second.
NOTICE_GOAL = RECOVER_GOAL = 1.0


def killed_sender(stream, result):
    at = stream.sender.signal(signal.SIGKILL)
    result.notice.append(stream.viewer.wait_line(ENDED, at)[0].at - at)
    stream.sender.end()
    back = stream.start_sender()
    result.recover.append(stream.wait_new(back).at - back)


def killed_receiver(stream, result):
    at = stream.viewer.signal(signal.SIGKILL)
    result.notice.append(stream.sender.wait_line(ENDED, at)[0].at - at)
    stream.viewer.end()
    newest = stream.newest_sent() if stream.policy == "latest" else 0
    back = stream.start_viewer()
    result.recover.append(stream.wait_fresh(back, newest).at - back)


def _stopped(stream, result, stopped, other, random):
    at = stopped.signal(signal.SIGSTOP)
    try:
        result.notice.append(other.wait_line(ENDED, at)[0].at - at)
        time.sleep(random.uniform(0, 1))
        newest = stream.newest_sent()
    finally:
        back = stopped.signal(signal.SIGCONT)
    result.recover.append(stream.wait_fresh(back, newest).at - back)


def deaths(transport, role, deed, policy, trials, random, host="127.0.0.1", goals=(NOTICE_GOAL, RECOVER_GOAL)):
    """`trials` times `deed` (kill, stop) to `role` (sender, receiver). The survivors of kills are the same throughout."""
    result = Result(f"{deed} {role}, {transport}, {policy}")
    with Stream(listening_address(transport, host), policy) as stream:
        stream.start_sender()
        stream.start_viewer()
        survivor = stream.viewer if role == "sender" else stream.sender
        stream.viewer.wait_frame()
        time.sleep(0.5)
        # The first reconnection loads what the first connection did not need: the level after it counts.
        before = None
        for trial in range(trials):
            time.sleep(random.uniform(0.05, 0.4))
            if deed == "kill":
                (killed_sender if role == "sender" else killed_receiver)(stream, result)
            else:
                one, other = (stream.sender, stream.viewer) if role == "sender" else (stream.viewer, stream.sender)
                _stopped(stream, result, one, other, random)
            result.trials += 1
            if trial == 0:
                time.sleep(0.5)
                before = levels(survivor)
        judge_growth(result, before)
        finish(stream, result)
    result.judge(*goals)
    return result


def finish(stream, result):
    """Ends both programs as Ctrl-C does, the sender first, and counts what arrived."""
    stream.sender.interrupt()
    stream.viewer.interrupt()
    stream.check(result)
