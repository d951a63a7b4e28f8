// Trace points (USDT) along a frame's path, for bpftrace, perf and SystemTap: `verbcast:frame_submitted` and
// so on, each with track, sequence and payload bytes. A point is one nop, plus a note in the binary that
// gives its address and the registers that hold its values; the kernel puts a breakpoint there while somebody
// traces. Builds without <sys/sdt.h> have none. docs/measurements.md shows how to use them.
#pragma once

#ifdef VERBCAST_USDT
#include <sys/sdt.h>
#define VERBCAST_TRACE_FRAME(point, info) \
    STAP_PROBE3(verbcast, point, (info).track, (info).sequence, (info).payloadBytes)
#else
#define VERBCAST_TRACE_FRAME(point, info) static_cast<void>(info)
#endif
