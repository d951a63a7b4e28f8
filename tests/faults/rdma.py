"""RDMA devices and links that come and go. For a guest with soft-RoCE: tests/support/guest."""

import subprocess
import time

from deaths import finish
from figures import Result
from program import Failure
from stream import ENDED, Stream, judge_growth, levels, listening_address

ADDRESS = "10.77.0.1"


def missing():
    """Why there is no RDMA here; '' when there is."""
    try:
        links = subprocess.run(["rdma", "link", "show", "rxe0/1"], capture_output=True, text=True, check=False)
    except OSError:
        return "an RDMA device"
    return "" if links.returncode == 0 else "an RDMA device"


def _ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


def _rdma(*arguments):
    # Not run(): it would wait for a process that cannot be killed while it waits in the kernel.
    changing = subprocess.Popen(["rdma", *arguments])
    try:
        if changing.wait(30) != 0:
            raise Failure(f"rdma {' '.join(arguments)} failed")
    except subprocess.TimeoutExpired as hung:
        # A device goes once nobody holds it any more.
        raise Failure(f"rdma {' '.join(arguments)}: blocks for {hung.timeout} s: a program keeps the device") from None


def _remove_device():
    _rdma("link", "del", "rxe0")


def _add_device():
    _rdma("link", "add", "rxe0", "type", "rxe", "netdev", "eth0")


def _link_down():
    _ip("link", "set", "eth0", "down")


def _link_up():
    _ip("link", "set", "eth0", "up")
    # Where connections ended while the link was down, rxe of Linux 6.1 sends no word of the connection manager any
    # more, nor for others (rping): only a new device does.
    _remove_device()
    _add_device()
    # Going down takes the IPv6 address with it.
    subprocess.run(["ip", "addr", "add", "fd77::1/64", "dev", "eth0", "nodad"], check=False, capture_output=True)


def _gone_and_back(name, away, back, policy, trials, random, goals, note=""):
    result = Result(f"{name}, verbs, {policy}")
    result.note = note
    with Stream(listening_address("verbs", ADDRESS), policy) as stream:
        stream.start_sender()
        stream.start_viewer()
        stream.viewer.wait_frame()
        before = None
        for trial in range(trials):
            time.sleep(random.uniform(0.3, 1))
            at = time.monotonic()
            away()
            result.notice += [one.wait_line(ENDED, at)[0].at - at for one in (stream.viewer, stream.sender)]
            time.sleep(random.uniform(0, 2))
            back()
            returned = time.monotonic()
            result.recover.append(stream.viewer.wait_frame(returned).at - returned)
            result.trials += 1
            if trial == 0:
                time.sleep(2)
                before = levels(stream.sender, stream.viewer)
        judge_growth(result, before)
        finish(stream, result)
    result.judge(*goals)
    return result


def device_removed(policy, trials, random, goals):
    return _gone_and_back("device removed and added", _remove_device, _add_device, policy, trials, random, goals)


def link_down(policy, trials, random, goals):
    return _gone_and_back("link down and up", _link_down, _link_up, policy, trials, random, goals,
                          "with the link the device is added anew: rxe needs that")
