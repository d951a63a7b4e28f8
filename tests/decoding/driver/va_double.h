// A VA driver over the processor's memory, for tests: libva loads it as verbcast_double_drv_video.so. It
// decodes MPEG-2 (Simple and Main) to NV12, bit for bit as libavcodec does. What an application must not do
// ends the program here, and says why on stderr, as does whatever is left at vaTerminate() (exit code
// kVaDoubleMisused).
//
// Environment, read whenever a display is initialised:
//   VA_DOUBLE_FAIL      "vaEndPicture:8" lets that call fail from its ninth on; "vaSyncSurface:8:1" once.
//                       "vaInitialize:0" fails before anything.
//   VA_DOUBLE_PROFILES  "none": it decodes nothing
//   VA_DOUBLE_LARGEST   pixels that a picture may be wide and high (4096)
//   VA_DOUBLE_LOG       a file to which a line is added for each picture: "I", "P" or "B", and "sync"
#pragma once

inline constexpr int kVaDoubleMisused = 97;
