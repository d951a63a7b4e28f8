#!/usr/bin/env python3
"""All pixel formats, from and to the real program: MD5 sums of every frame at both ends."""

import unittest

import python_test

FORMATS = ("rgba bgra rgb24 x2rgb10le yuv420p nv12 yuv422p uyvy422 yuyv422 yuv444p yuv420p10le p010le yuv422p10le "
           "yuv444p10le gray v210").split()


class EveryFormat(python_test.StreamTest):
    def test_every_format(self):
        for pixel_format in FORMATS:
            for new_url in python_test.new_address, lambda: python_test.TCP:
                with self.subTest(pixel_format=pixel_format, url=new_url()):
                    self.receives(pixel_format, new_url())
                    self.sends(pixel_format, new_url())


if __name__ == "__main__":
    unittest.main()
