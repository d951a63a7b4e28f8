"""Frames in a GPU's memory, over the stand-in for CUDA's driver that the dynamic loader finds here."""

import ctypes
import unittest

import numpy
import verbcast

PATIENCE = 60


class Gpu(unittest.TestCase):
    def test_frames_lie_in_the_gpu(self):
        with verbcast.Sender("tcp://127.0.0.1:0", policy="lossless") as sender:
            sender.format("rgba", 64, 48)
            with verbcast.Receiver(sender.addresses[0], gpu=0) as receiver:
                self.assertTrue(sender.wait(PATIENCE))
                picture = numpy.random.default_rng(1).integers(0, 256, (48, 64, 4), numpy.uint8)
                sender.send(picture)
                frame = receiver.take(timeout=PATIENCE)
                self.assertEqual(frame.__dlpack_device__(), (2, 0))
                self.assertEqual(frame.buffers[0].__dlpack_device__(), (2, 0))
                self.assertEqual(frame.buffers[0].shape, (48, 64, 4))
                for way in (lambda: frame.array, lambda: memoryview(frame.buffers[0]),
                            lambda: frame.__dlpack__(dl_device=(1, 0))):
                    self.assertRaises(BufferError, way)
                capsule = frame.__dlpack__(max_version=(1, 0), dl_device=(2, 0))
                self.assertEqual(self.content(capsule, picture.nbytes), picture.tobytes())
                del capsule, frame

    def content(self, capsule, size):
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        tensor = pointer(capsule, b"dltensor_versioned") + 32  # behind version, context, deleter and flags
        self.assertEqual(list((ctypes.c_int32 * 2).from_address(tensor + 8)), [2, 0])
        driver = ctypes.CDLL("libcuda.so.1").cudaDoubleBytes
        driver.restype, driver.argtypes = ctypes.c_void_p, [ctypes.c_uint64]
        return ctypes.string_at(driver(ctypes.c_uint64.from_address(tensor).value), size)

    def test_a_gpu_that_is_not_there(self):
        with self.assertRaises(verbcast.Error) as refused:
            verbcast.Receiver("tcp://127.0.0.1:1", gpu=99)
        self.assertEqual(refused.exception.kind, "device")


if __name__ == "__main__":
    unittest.main()
