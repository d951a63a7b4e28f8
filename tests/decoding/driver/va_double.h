// A VA driver over host memory, for tests: libva loads it as verbcast_double_drv_video.so. It decodes MPEG-2
// (Simple and Main) to NV12, bit for bit as libavcodec does. Misuse by the application ends the program with
// a message on stderr, as does any object left at vaTerminate() (exit code kVaDoubleMisused).
//
// Environment, read whenever a display is initialised:
//   VA_DOUBLE_FAIL      "vaEndPicture:8" makes that call fail from its ninth on; "vaSyncSurface:8:1" once.
//                       "vaInitialize:0" fails immediately.
//   VA_DOUBLE_PROFILES  "none": it decodes nothing
//   VA_DOUBLE_LARGEST   largest width and height of a picture, in pixels (4096)
//   VA_DOUBLE_LOG       a file to which a line is added for each picture: "I", "P" or "B", and "sync"
#pragma once

inline constexpr int kVaDoubleMisused = 97;
