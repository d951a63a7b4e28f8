"""A relay between sender and viewer that is killed, at random moments."""

import signal
import time

import program
from figures import Result
from stream import ENDED, Stream, judge_growth, levels, listening_address


def relay_killed(source, target, trials, random, goals):
    """Both sides of it notice; they, and their rings, go on with the next relay. `source` and `target` are the
    transports to it and from it."""
    result = Result(f"kill relay, {source} to {target}, latest")
    outward = listening_address(target)
    with Stream(listening_address(source)) as stream:
        stream.start_sender()
        relay = _start(stream.address, outward)
        stream.viewers.append(program.view(outward))
        stream.viewer.wait_frame()
        before = None
        for trial in range(trials):
            time.sleep(random.uniform(0.05, 0.4))
            newest = stream.newest_sent()
            at = relay.signal(signal.SIGKILL)
            result.notice += [one.wait_line(ENDED, at)[0].at - at for one in (stream.sender, stream.viewer)]
            relay.end()
            relay = _start(stream.address, outward)
            back = relay.wait_line("waiting for a viewer on")[0].at
            result.recover.append(stream.wait_fresh(back, newest).at - back)
            result.trials += 1
            if trial == 0:
                time.sleep(0.5)
                before = levels(stream.sender, stream.viewer)
        judge_growth(result, before)
        stream.sender.interrupt()
        relay.kill()
        stream.viewer.interrupt()
        _check(stream, result)
    result.judge(*goals)
    return result


def _start(inward, outward):
    return program.Program("relay", inward, "--listen", outward)


def _check(stream, result):
    """Relays pass on what a frame shows and its pts; sequence numbers begin anew with each."""
    sent = {(frame.pts, frame.md5) for frame in stream.sender.frames}
    shown = stream.viewer.frames
    result.torn += sum((frame.pts, frame.md5) not in sent for frame in shown)
    result.repeated += sum(later.pts <= earlier.pts for earlier, later in zip(shown, shown[1:]))
