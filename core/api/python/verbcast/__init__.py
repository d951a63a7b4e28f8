"""Frames and sound of Verbcast as arrays: see docs/python.md and __init__.pyi, which says what everything is."""

import collections
import weakref

from ._verbcast import (Buffer, Busy, Closed, Error, Frame, Interrupted, Slot, SoundBlock, VideoFormat,
                        version as __version__)
from . import _verbcast

__all__ = ["Buffer", "Busy", "Closed", "Connection", "Error", "Event", "Frame", "Input", "Interrupted", "Receiver",
           "Sender", "Slot", "SoundBlock", "Stream", "VideoFormat", "Viewer"]

Input = collections.namedtuple("Input", "kind pressed code x y dx dy data serial viewer viewer_name",
                               defaults=(False, 0, 0.0, 0.0, 0.0, 0.0, b"", 0, 0, ""))
Event = collections.namedtuple("Event", "kind track state text reason")
Connection = collections.namedtuple("Connection", "state text reason peer_name peer_address transport transport_reason "
                                    "key_name protection over input_allowed has_sound")
Viewer = collections.namedtuple("Viewer", "id name address transport key_name protection frames_sent frames_dropped "
                                "frames_lost bytes frames_shown frames_skipped latency_p50 latency_p99")


class Receiver(_verbcast.Receiver):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._readables = weakref.WeakSet()

    @property
    def addresses(self):
        return [address for address in self._addresses().split(",") if address]

    @property
    def connection(self):
        return Connection(**self._connection())

    def next_event(self, timeout=None):
        event = self._next_event(timeout)
        return event and Event(*event)

    def send_input(self, event):
        return self._send_input(*event[:8])

    def full_stats(self):
        import json
        return json.loads(self._stats_json())

    def close(self):
        super().close()
        for readable in tuple(self._readables):
            readable.wake()

    def frames(self, newest=False, track=0):
        return Stream(self, lambda timeout: self.take(newest, timeout, track))

    def sounds(self):
        return Stream(self, self.take_sound)

    def events(self):
        return Stream(self, self.next_event)

    def __iter__(self):
        return self.frames()

    def __aiter__(self):
        return self.frames()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Stream:
    def __init__(self, receiver, take):
        self._receiver = receiver
        self._take = take  # with a timeout
        self._readable = None

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self._take(None)
        except Closed:
            raise StopIteration from None

    def __aiter__(self):
        return self

    async def __anext__(self):
        import asyncio
        if self._readable is None:
            self._readable = _Readable(self._receiver)
        try:
            taken = self._take(0)
            if taken is not None:
                await asyncio.sleep(0)  # others get a turn, however much there is
            while taken is None:
                await self._readable.wait()
                taken = self._take(0)
        except Closed:
            raise StopAsyncIteration from None
        return taken


class _Readable:
    """A receiver's descriptor for one coroutine. It is readable while anything is there, also what nobody takes; so
    only what has come since is waited for."""

    def __init__(self, receiver):
        import asyncio
        import select
        self._loop = asyncio.get_running_loop()
        self._descriptor = receiver.descriptor()
        self._edges = select.epoll()
        self._edges.register(self._descriptor, select.EPOLLIN | select.EPOLLET)
        self._waiting = None
        self._closed = False
        receiver._readables.add(self)

    async def wait(self):
        if self._waiting is not None:
            raise RuntimeError("another task waits for this stream: give each task a stream of its own")
        self._waiting = self._loop.create_future()
        self._loop.add_reader(self._edges, self._note)
        try:
            await self._waiting
        finally:
            self._waiting = None
            self._loop.remove_reader(self._edges)
        if self._closed:
            raise Interrupted("close() was called")
        self._edges.poll(0)

    def wake(self):
        """Of a receiver that was closed, whose descriptor wakes nobody. From any thread."""
        self._closed = True
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._note)

    def _note(self):
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def __del__(self):
        import os
        self._edges.close()
        os.close(self._descriptor)


class Sender(_verbcast.Sender):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._sound_end = 0  # in nanoseconds

    @property
    def addresses(self):
        return [address for address in self._addresses().split(",") if address]

    @property
    def viewers(self):
        return [Viewer(**viewer) for viewer in self._viewers()]

    def format(self, *arguments, track=0, **fields):
        given = arguments[0] if arguments and isinstance(arguments[0], VideoFormat) else None
        if given is None:
            given = VideoFormat(*arguments, **fields)
        elif fields or len(arguments) > 1:
            raise TypeError("format: either a VideoFormat or its fields expected, both given")
        self._set_format(given, track)

    def frame(self, timeout=None, track=0):
        slot = self._acquire(track, timeout)
        if slot is None:
            raise TimeoutError(f"no slot was free in {timeout} s: viewers still read them all")
        return slot

    def send(self, picture, *, timeout=None, track=0, **fields):
        with self.frame(timeout, track) as slot:
            for name, value in fields.items():
                setattr(slot, name, value)
            _copy(picture, slot)

    def send_sound(self, samples, rate, time=None, layout=0, captured_at=0):
        import numpy
        samples = numpy.asarray(samples)
        if samples.dtype != numpy.float32:
            raise TypeError(f"sound: float32 expected, not {samples.dtype}")
        if samples.strides[0] != samples.itemsize:
            samples = numpy.ascontiguousarray(samples)
        time = self._sound_end if time is None else time
        self._send_sound(samples, rate, time, layout, captured_at)
        self._sound_end = time + len(samples) * 1_000_000_000 // rate

    def take_input(self, timeout=None):
        event = self._take_input(timeout)
        return event and Input(*event)

    def inputs(self):
        while event := self.take_input(0):
            yield event

    def full_stats(self):
        import json
        return json.loads(self._stats_json())

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        try:
            if error is None:
                self.finish(timeout=10)
        finally:
            self.close()


def _copy(picture, slot):
    import numpy
    targets = slot.planes
    sources = picture if isinstance(picture, (list, tuple)) else [picture]
    if len(sources) != len(targets):
        raise ValueError(f"a picture of {len(targets)} planes expected, {len(sources)} given")
    for number, (source, target) in enumerate(zip(sources, targets)):
        source = numpy.asarray(source)
        if source.shape != target.shape:
            raise ValueError(f"plane {number}: an array of {target.shape} expected, {source.shape} given")
        numpy.copyto(target, source)
