"""Callers that say nothing, many more than the program may have descriptors for."""

import errno
import json
import os
import resource
import socket
import tempfile
import time

import program
from figures import Result
from stream import Stream, listening_address

CROWD = 400
FILES = 256  # that the sender may open
SECONDS = 10


def _few_files():
    program._die_with_parent()
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


class Crowd:
    """So many sockets; those that are hung up on call again."""

    def __init__(self, address):
        host, port = address.removeprefix("tcp://").rsplit(":", 1)
        self._address, self._sockets, self.calls = (host, int(port)), [], 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in self._sockets:
            one.close()

    def call(self):
        """Those that are not connected."""
        self._sockets = [one for one in self._sockets if not self._is_over(one)]
        while len(self._sockets) < CROWD:
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(self._address)
            self._sockets.append(one)
            self.calls += 1

    def _is_over(self, one):
        try:
            over = one.recv(4096) == b""
        except OSError as error:
            over = error.errno not in (errno.EAGAIN, errno.ENOTCONN)
        if over:
            one.close()
        return over


def _watch(stream, seconds, meanwhile):
    """A viewer's own figures of so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        figures = os.path.join(folder, "figures")
        stream.start_viewer("--stats-json", figures)
        stream.viewer.wait_frame()
        ended = time.monotonic() + seconds
        while time.monotonic() < ended:
            meanwhile()
            time.sleep(1)
        stream.viewer.interrupt()
        with open(figures, encoding="utf-8") as file:
            return json.load(file)


def _median(values):
    return sorted(values)[len(values) // 2]


def silent_crowd(trials, _random):
    """The sender goes on, and its viewer gets what it gets without them: the same viewer's time, in turns."""
    result = Result("silent callers, more than descriptors, tcp, latest")
    alone, among, calls = [], [], 0
    with Stream(listening_address("tcp"), sender_options={"limit": _few_files}) as stream:
        stream.start_sender()
        for _ in range(trials):
            alone.append(_watch(stream, SECONDS, lambda: None))
            with Crowd(stream.address) as crowd:
                crowd.call()
                among.append(_watch(stream, SECONDS, crowd.call))
                calls += crowd.calls
            result.trials += 1
        stream.sender.interrupt()
        stream.check(result)
    rates = [_median([one["fps"] for one in some]) for some in (alone, among)]
    p99s = [_median([one["latency_us"]["p99"] for one in some]) for some in (alone, among)]
    result.note = f"{rates[1] / rates[0]:.3f} of the rate, {p99s[1] / p99s[0]:.2f} of p99 ({p99s[0]:.0f} us), {calls} calls"
    if rates[1] < 0.95 * rates[0]:
        result.fault(f"the viewer gets {rates[1]:.1f} frames a second among strangers, {rates[0]:.1f} without")
    if any(one["connections_lost"] for one in among):
        result.fault("the viewer lost its connection")
    if calls <= trials * CROWD:
        result.fault("nobody hung up on the crowd")
    result.judge()
    return result
