// Quick measurements: each takes about a fifth of a second, and tells the order of magnitude.
#pragma once

namespace verbcast {

/// Bytes per second that one processor copies between buffers larger than its caches; 0 without memory.
double measureCopyRate();

/// Bytes per second through a TCP connection within this machine, from and into rings of frames; 0 when the
/// loopback interface does not work.
double measureLoopbackRate();

}  // namespace verbcast
