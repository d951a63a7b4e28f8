#!/usr/bin/env python3
"""The Python package, with real numpy and the real program (VERBCAST_PROGRAM)."""

import ast
import asyncio
import contextlib
import gc
import hashlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import verbcast

try:
    import numpy
except ImportError as error:
    print("SKIPPED: install python3-numpy:", error, file=sys.stderr)
    sys.exit(77)

PROGRAM = os.environ["VERBCAST_PROGRAM"]
EXAMPLES = pathlib.Path(__file__).parents[2] / "docs" / "examples"
STUBS = pathlib.Path(verbcast.__file__).with_name("__init__.pyi")
PATIENCE = 20  # seconds until a test is given up
SIZE = (98, 66)
numbers = itertools.count()


TCP = "tcp://127.0.0.1:0"


def new_address():
    return f"shm://python-{os.getpid()}-{next(numbers)}"


def bytes_of(picture):
    """Its planes one after the other, without gaps."""
    return b"".join(memoryview(buffer).tobytes() for buffer in picture.buffers)


def md5_of(data):
    return hashlib.md5(data).hexdigest()


class PackageTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def program(self, *arguments):
        """Starts a program in a folder of its own."""
        process = subprocess.Popen(arguments, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)

        def end():
            process.kill()
            process.communicate()
        self.addCleanup(end)
        return process

    def ends(self, process, code=0):
        out, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code, errors)
        return out

    def sums(self, name):
        lines = pathlib.Path(self.folder, name).read_text().splitlines()
        return [line.split(",")[-1].strip() for line in lines if not line.startswith("#")]

    def pair(self, pixel_format="rgba", size=SIZE, url=None, sender=None, receiver=None):
        """A sender in that format, and its receiver, connected."""
        sender = self.enterContext(contextlib.closing(verbcast.Sender(url or new_address(), **sender or {})))
        sender.format(pixel_format, *size)
        address = sender.addresses[0]
        receiver = self.enterContext(contextlib.closing(verbcast.Receiver(address, **receiver or {})))
        self.assertTrue(sender.wait(PATIENCE))
        return sender, receiver

    def refused(self, kind, call, *arguments, **named):
        with self.assertRaises(verbcast.Error) as raised:
            call(*arguments, **named)
        self.assertEqual(raised.exception.kind, kind, raised.exception)
        return str(raised.exception)


class StreamTest(PackageTest):
    """The program at the other end."""

    def receives(self, pixel_format, url):
        sending = self.program(
            PROGRAM, "send", "pattern:counter", "--size", "x".join(map(str, SIZE)), "--format", pixel_format, "--fps",
            "200", "--frames", "4", "--policy", "lossless", "--once", "--listen", url, "--frame-md5", "sent")
        with verbcast.Receiver(sending.stderr.readline().split()[-1]) as receiver:  # "waiting for a viewer on ..."
            # Holds no frame while it waits for the next: a sender that ends waits half a second for those who do.
            received = list(map(lambda frame: md5_of(bytes_of(frame)), receiver))
        self.ends(sending)
        self.assertEqual(received, self.sums("sent"))
        self.assertEqual(len(received), 4)

    def sends(self, pixel_format, url):
        generator = numpy.random.default_rng(1)
        expected = []
        with verbcast.Sender(url, policy="lossless") as sender:
            sender.format(pixel_format, *SIZE)
            showing = self.program(PROGRAM, "view", "--headless", "--once", sender.addresses[0], "--frame-md5", "shown")
            self.assertTrue(sender.wait(PATIENCE))
            slot = sender.frame(PATIENCE)
            kinds = [(plane.shape, plane.dtype) for plane in slot.planes]
            slot.discard()
            for _ in range(4):
                picture = [generator.integers(0, 1 << 10, shape).astype(dtype) for shape, dtype in kinds]
                sender.send(picture, timeout=PATIENCE)
                expected.append(md5_of(b"".join(plane.tobytes() for plane in picture)))
        self.ends(showing)
        self.assertEqual(self.sums("shown"), expected)


class Streams(StreamTest):
    def test_frames_of_the_program(self):
        self.receives("yuv420p", new_address())
        self.receives("p010le", TCP)

    def test_frames_for_the_program(self):
        self.sends("rgba", new_address())
        self.sends("yuv422p10le", TCP)


class Pictures(PackageTest):
    def test_shapes(self):
        expected = {"rgba": [((66, 98, 4), "u1")], "gray": [((66, 98), "u1")], "x2rgb10le": [((66, 98), "u4")],
                    "uyvy422": [((66, 98, 2), "u1")], "nv12": [((66, 98), "u1"), ((33, 49, 2), "u1")],
                    "yuv420p10le": [((66, 98), "u2"), ((33, 49), "u2"), ((33, 49), "u2")]}
        with verbcast.Sender(new_address()) as sender:
            for pixel_format, planes in expected.items():
                sender.format(pixel_format, *SIZE)
                slot = sender.frame(0)
                self.assertEqual([(plane.shape, plane.dtype.str[1:]) for plane in slot.planes], planes)
                if len(planes) == 1:
                    self.assertEqual(slot.array.shape, planes[0][0])
                else:
                    self.assertRaisesRegex(AttributeError, f"has {len(planes)} planes", getattr, slot, "array")
                slot.discard()

    def test_a_picture_and_what_goes_with_it(self):
        sender, receiver = self.pair("rgb24", sender={"policy": "lossless"})
        picture = numpy.arange(66 * 98 * 3, dtype=numpy.uint8).reshape(66, 98, 3)
        sender.send(picture, pts=7, timeout=PATIENCE)
        sender.send(picture[::-1], changed=[(0, 0, 10, 10), (20, 20, 2, 2)], timeout=PATIENCE)
        first, second = receiver.take(timeout=PATIENCE), receiver.take(timeout=PATIENCE)
        numpy.testing.assert_array_equal(first.array, picture)
        numpy.testing.assert_array_equal(second.array, picture[::-1])
        self.assertEqual((first.pts, second.pts, first.sequence, second.sequence), (7, 8, 0, 1))
        self.assertIs(first.format, second.format)
        self.assertEqual((first.format.pixel_format, first.format.fps, first.picture_size), ("rgb24", 60, SIZE))
        self.assertLessEqual(first.submitted_at, first.arrived_at)
        self.assertLessEqual(first.arrived_at, time.monotonic_ns())
        self.assertTrue(first.intact)
        receiver.shown(second)
        self.assertEqual(receiver.stats()["frames"], 2)
        self.assertEqual(sender.viewers[0].transport, "shm")
        self.assertEqual(receiver.connection.state, "streaming")
        sender.format(first.format)  # unchanged
        self.assertRaises(ValueError, sender.send, picture[1:], timeout=PATIENCE)
        self.assertRaises(ValueError, sender.send, [picture] * 2, timeout=PATIENCE)
        self.assertRaises(TypeError, sender.send, picture.astype(float), timeout=PATIENCE)

    def test_a_format(self):
        given = verbcast.VideoFormat("p010le", 320, 240, "60000/1001", matrix="bt2020", transfer="pq", range="full",
                                     hdr={"max_luminance": 10_000_000})
        self.assertEqual((given.fps.numerator, given.fps.denominator), (60000, 1001))
        self.assertEqual((given.matrix, given.transfer, given.range, given.alpha), ("bt2020", "pq", "full", "default"))
        self.assertEqual(given.hdr["max_luminance"], 10_000_000)
        self.assertIn("320x240 p010le", str(given))
        for wrong in {"matrix": "bt1"}, {"hdr": {"lum": 1}}:
            self.assertRaises(ValueError, verbcast.VideoFormat, "rgba", 320, 240, **wrong)
        self.assertRaisesRegex(ValueError, "rgba, bgra", verbcast.VideoFormat, "rgbx", 320, 240)


class Lifetimes(PackageTest):
    def held(self, url=None):
        """Frames until the receiver's two slots are held."""
        sender, receiver = self.pair(url=url, receiver={"slots": 2})
        picture = numpy.zeros((66, 98, 4), numpy.uint8)
        frames = []
        while len(frames) < 2:
            picture[...] = len(frames) + 1
            sender.send(picture, timeout=PATIENCE)
            frames.append(receiver.take(timeout=PATIENCE))
        return sender, receiver, frames

    def comes(self, sender, receiver):
        """Whether a further frame finds a place."""
        sender.send(numpy.full((66, 98, 4), 9, numpy.uint8), timeout=PATIENCE)
        return receiver.take(timeout=0.03) is not None

    def test_the_last_view_releases(self):
        sender, receiver, frames = self.held(TCP)
        views = {"array": frames[0].array, "buffer": memoryview(frames[0].buffers[0]), "slice": frames[0].array[1:2],
                 "dlpack": numpy.from_dlpack(frames[0]), "capsule": frames[0].__dlpack__(max_version=(1, 0))}
        frames[0].release()
        frames[0].release()
        self.refused("usage", getattr, frames[0], "array")
        for name in list(views):
            self.assertFalse(self.comes(sender, receiver), name)
            del views[name]
        self.assertTrue(self.comes(sender, receiver))

    def test_views_outlive_the_receiver(self):
        sender, receiver, frames = self.held()
        views = [frame.array for frame in frames]
        del frames
        receiver.close()
        receiver.close()
        sender.close()
        del receiver, sender
        gc.collect()
        self.assertEqual([int(view.sum()) for view in views], [66 * 98 * 4, 2 * 66 * 98 * 4])

    def test_what_was_received_is_not_written(self):
        _, _, frames = self.held()
        array = frames[0].array
        self.assertRaises(ValueError, array.__setitem__, 0, 1)
        self.assertRaises(ValueError, array.setflags, write=True)
        self.assertTrue(memoryview(frames[0].buffers[0]).readonly)
        self.assertFalse(numpy.from_dlpack(frames[0].buffers[0]).flags.writeable)
        with self.assertRaises(BufferError):
            frames[0].__dlpack__(dl_device=(2, 0))

    def test_a_slot_is_sent_without_views(self):
        sender, receiver = self.pair()
        slot = sender.frame(PATIENCE)
        array = slot.array
        array[...] = 3
        self.assertRaisesRegex(BufferError, "1 arrays or buffers", slot.submit)
        del array
        slot.submit()
        self.assertEqual(int(receiver.take(timeout=PATIENCE).array.max()), 3)
        self.assertIn("sent or discarded", self.refused("usage", slot.submit))
        slot.discard()
        with self.assertRaises(ZeroDivisionError), sender.frame(PATIENCE) as slot:
            1 / 0
        self.refused("usage", getattr, slot, "planes")
        left = sender.frame(PATIENCE)
        array = left.array
        sender.close()
        array[...] = 4  # still its memory
        left.discard()
        array[...] = 5

    @unittest.skipUnless(__import__("importlib.util").util.find_spec("torch"), "torch is not installed")
    def test_torch(self):
        import torch
        sender, receiver = self.pair()
        with sender.frame(PATIENCE) as slot:
            torch.from_dlpack(slot).fill_(17)
        self.assertEqual(int(torch.from_dlpack(receiver.take(timeout=PATIENCE)).min()), 17)


class Sound(PackageTest):
    def test_sound(self):
        sender, receiver = self.pair(sender={"sound": True, "policy": "lossless"}, receiver={"sound": True})
        samples = numpy.random.default_rng(2).standard_normal((1440, 2)).astype(numpy.float32)
        sender.send_sound(samples[:480], 48000)
        sender.send_sound(numpy.asfortranarray(samples[480:960]), 48000)
        sender.send_sound(numpy.repeat(samples[960:], 2, axis=0)[::2], 48000)
        blocks = [receiver.take_sound(PATIENCE) for _ in range(3)]
        self.assertEqual([block.time for block in blocks], [0, 10_000_000, 20_000_000])
        numpy.testing.assert_array_equal(numpy.concatenate([block.array for block in blocks]), samples)
        self.assertEqual((blocks[0].rate, blocks[0].channels, blocks[0].samples), (48000, 2, 480))
        sender.send_sound(blocks[0].array, 48000)  # without a copy
        self.assertRaises(TypeError, sender.send_sound, [0.0], 48000)
        self.refused("usage", sender.send_sound, samples, 7)
        without, _ = self.pair()
        self.refused("usage", without.send_sound, samples, 48000)


class Inputs(PackageTest):
    def test_inputs(self):
        sender, receiver = self.pair(sender={"allow_input": True}, receiver={"name": "the viewer"})
        while not receiver.connection.input_allowed:
            self.assertIsNotNone(receiver.next_event(PATIENCE))
        key = verbcast.Input("key", code=97, pressed=True)
        serial = receiver.send_input(key)
        receiver.send_input(verbcast.Input("application", data=b"\0hello"))
        came = sender.take_input(PATIENCE)
        self.assertEqual((came.kind, came.code, came.pressed), ("key", 97, True))
        self.assertEqual(came.viewer_name, "the viewer")
        self.assertEqual(sender.take_input(PATIENCE).data, b"\0hello")
        self.assertEqual(list(sender.inputs()), [])
        sender.send(numpy.zeros((66, 98, 4), numpy.uint8), input_serial=came.serial)
        self.assertEqual(receiver.take(timeout=PATIENCE).input_serial, serial)
        self.assertRaises(ValueError, receiver.send_input, verbcast.Input("smell"))


class Asyncio(PackageTest):
    def test_frames_events_and_sound(self):
        sender, receiver = self.pair(url=TCP, sender={"sound": True, "policy": "lossless"}, receiver={"sound": True})

        async def all_of(stream, value):
            values = []
            async for item in stream:
                values.append(value(item))
                del item  # the sender's end would wait for it
            return values

        def send():
            sender.send_sound(numpy.zeros(480, numpy.float32), 48000)
            for number in range(5):
                sender.send(numpy.full((66, 98, 4), number, numpy.uint8), timeout=PATIENCE)
            sender.finish(timeout=PATIENCE)

        async def together():
            tasks = asyncio.gather(all_of(receiver, lambda frame: int(frame.array[0, 0, 0])),
                                   all_of(receiver.sounds(), lambda block: block.samples),
                                   all_of(receiver.events(), lambda event: event.state), asyncio.to_thread(send))
            return await asyncio.wait_for(tasks, PATIENCE)

        taken, heard, told, _ = asyncio.run(together())
        self.assertEqual(taken, list(range(5)))
        self.assertEqual(heard, [480])
        self.assertEqual(told[-1], "ended")
        self.refused("closed", receiver.take, timeout=0)

    def test_a_wait_sleeps(self):
        """Sound that nobody takes must not keep the loop busy while frames are waited for."""
        sender, receiver = self.pair(sender={"sound": True}, receiver={"sound": True})
        sender.send_sound(numpy.zeros(480, numpy.float32), 48000)

        async def turns():
            waiting = asyncio.ensure_future(anext(receiver.frames()))
            await asyncio.sleep(0.05)
            before = time.thread_time()
            await asyncio.sleep(0.15)
            spent = time.thread_time() - before
            waiting.cancel()
            return spent
        self.assertLess(asyncio.run(turns()), 0.05)

    def test_closing_and_cancelling(self):
        _, receiver = self.pair()

        async def closed():
            waiting = asyncio.ensure_future(anext(receiver.frames()))
            await asyncio.sleep(0)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(anext(receiver.frames()), 0.01)
            receiver.close()
            await asyncio.wait_for(waiting, PATIENCE)
        self.refused("interrupted", asyncio.run, closed())


class Errors(PackageTest):
    def test_names(self):
        self.refused("usage", verbcast.Receiver, "smoke://signals")
        self.refused("usage", verbcast.Sender, new_address(), slots=1000)
        self.refused("usage", verbcast.Sender, new_address(), key_file=pathlib.Path(self.folder, "none"))
        for options in {"follow": "nobody"}, {"tracks": {0: (1, 2)}}, {"peer_timeout": -1}:
            self.assertRaises(ValueError, verbcast.Receiver, new_address(), **options)
        sender = verbcast.Sender(new_address(), policy="lossless")
        self.refused("usage", sender.frame)
        sender.format("rgba", *SIZE)
        self.refused("busy", sender.send, numpy.zeros((66, 98, 4), numpy.uint8))
        self.assertFalse(sender.wait(0))
        slots = [sender.frame(0) for _ in range(8)]
        self.assertRaises(ValueError, sender.wait, -1)
        with self.assertRaises(TimeoutError):
            slots.extend(sender.frame(0.001) for _ in range(10))
        sender.close()
        self.assertIn("closed", self.refused("usage", sender.wait))
        self.refused("usage", slots[0].submit)

    def test_closed_handles(self):
        _, receiver = self.pair()
        receiver.close()
        for call in receiver.take, receiver.next_event, receiver.stats, receiver.full_stats, receiver.descriptor:
            self.assertIn("closed", self.refused("usage", call))
        self.assertEqual(receiver.addresses, [])

    def test_two_threads(self):
        """The second one is told; closing ends the wait of the first."""
        _, receiver = self.pair()
        kinds = []

        def take():
            try:
                receiver.take()
            except verbcast.Error as error:
                kinds.append(error.kind)
                receiver.close()
        threads = [threading.Thread(target=take) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        self.assertEqual(kinds, ["usage", "interrupted"])

    def test_interrupt(self):
        sender, receiver = self.pair(sender={"allow_input": True})
        for end, wait in (receiver, receiver.take), (sender, sender.take_input):
            end.interrupt()
            self.refused("interrupted", wait)
            end.interrupt(False)
        self.assertIsNone(receiver.take(timeout=0))

    def test_ctrl_c(self):
        sender, receiver = self.pair(sender={"policy": "lossless", "slots": 2}, receiver={"slots": 2})

        def send_for_ever():
            while True:
                sender.send(numpy.zeros((66, 98, 4), numpy.uint8))
        for wait in receiver.take, send_for_ever:
            timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            self.assertRaises(KeyboardInterrupt, wait)
            timer.join()
        self.assertIsNotNone(receiver.take(timeout=PATIENCE))  # all goes on

    def test_a_daemon_at_the_end(self):
        """A thread that waits when the interpreter ends neither holds it up nor breaks it."""
        code = """if True:
            import threading, time, verbcast
            class Slow:
                def __del__(self, sleep=time.sleep):
                    sleep(0.15)  # meanwhile the thread asks for the GIL
            slow, receiver = Slow(), verbcast.Receiver("shm://nobody")
            threading.Thread(target=receiver.take, daemon=True).start()
            """
        self.ends(self.program(sys.executable, "-c", code))

    def test_fork(self):
        sender, receiver = self.pair()
        sender.send(numpy.full((66, 98, 4), 5, numpy.uint8))
        frame = receiver.take(timeout=PATIENCE)
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                try:
                    receiver.take(timeout=0)
                except verbcast.Error as error:
                    code = 0 if "parent" in str(error) else 2
                del frame, receiver, sender
                gc.collect()
            os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(int(frame.array.min()), 5)
        sender.send(numpy.full((66, 98, 4), 6, numpy.uint8))
        self.assertEqual(int(receiver.take(timeout=PATIENCE).array.min()), 6)


class Package(PackageTest):
    def test_it_starts_without_others(self):
        """What takes long to load is loaded when it is needed."""
        out = self.ends(self.program(sys.executable, "-c", "import sys, verbcast; print(*sys.modules)"))
        self.assertIn("verbcast", out.split())
        self.assertFalse({"numpy", "asyncio", "json", "typing"} & set(out.split()))

    def test_stubs(self):
        """They name what there is, and all of it."""
        for node in ast.parse(STUBS.read_text()).body:
            if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
                continue
            there = getattr(verbcast, node.name)
            names = {part.name for part in node.body if isinstance(part, ast.FunctionDef)} - {"__buffer__"}
            for name in names:
                self.assertTrue(hasattr(there, name), f"{node.name}.{name}")
            bases = {name for base in node.bases if isinstance(base, ast.Name) and base.id in ("_Picture", "_Taken")
                     for name in ("buffers", "planes", "array", "release", "intact")}
            fields = {part.target.id for part in node.body if isinstance(part, ast.AnnAssign)}
            public = {name for name in dir(there) if not name.startswith("_")} - set(dir(tuple)) - set(dir(Exception))
            self.assertLessEqual(public - {"kind"}, names | bases | fields, node.name)


class Examples(PackageTest):
    def test_programs(self):
        url = new_address()
        sending = self.program(sys.executable, "-B", EXAMPLES / "send_frames.py", url, "10")
        receiving = self.program(sys.executable, "-B", EXAMPLES / "receive_frames.py", url)
        out = self.ends(receiving)
        self.assertIn("█", out)
        self.assertIn("end of stream", out)
        self.ends(sending)

    def notebook(self, name, studio, inverted):
        """Runs its code on a thread."""
        cells = json.loads((EXAMPLES / name).read_text())["cells"]
        code = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        self.assertLessEqual(len(code.splitlines()), 10)
        code = code.replace("shm://studio", studio).replace("shm://inverted", inverted)
        thread = threading.Thread(target=exec, args=(code, {}))
        thread.start()
        self.addCleanup(thread.join, PATIENCE)

    def test_notebooks(self):
        plots, display = mock.MagicMock(), mock.MagicMock()
        self.enterContext(mock.patch.dict(sys.modules, {"matplotlib": plots, "matplotlib.pyplot": plots.pyplot,
                                                        "IPython": display, "IPython.display": display.display}))
        shown = threading.Event()
        plots.pyplot.show.side_effect = shown.set
        inverted = new_address()
        with verbcast.Sender(TCP) as studio, verbcast.Receiver(inverted) as receiver:
            studio.format("nv12", *SIZE)
            for name in "write_back.ipynb", "histogram.ipynb":
                self.notebook(name, studio.addresses[0], inverted)
            while len(studio.viewers) < 2 or receiver.connection.state != "connected":
                receiver.next_event(0.01)
            studio.send([numpy.full((66, 98), 1, numpy.uint8), numpy.full((33, 49, 2), 2, numpy.uint8)])
            self.assertEqual([int(plane.max()) for plane in receiver.take(timeout=PATIENCE).planes], [254, 253])
            self.assertTrue(shown.wait(PATIENCE))
        (values,), _ = plots.pyplot.hist.call_args
        self.assertEqual((values.ndim, int(values.min())), (1, 1))


if __name__ == "__main__":
    unittest.main()
