// Trace points (USDT) on a frame's way, for bpftrace, perf and SystemTap: `verbcast:frame_submitted` and so
// on, each with track, sequence and payload bytes. A point is one nop, and a note in the binary that says
// where it is and in which registers its values are; the kernel puts a breakpoint there while somebody
// traces. Built without <sys/sdt.h> there are none. docs/measurements.md shows how to use them.
#pragma once

#ifdef VERBCAST_USDT
#include <sys/sdt.h>
#define VERBCAST_TRACE_FRAME(point, info) \
    STAP_PROBE3(verbcast, point, (info).track, (info).sequence, (info).payloadBytes)
#else
#define VERBCAST_TRACE_FRAME(point, info) static_cast<void>(info)
#endif
