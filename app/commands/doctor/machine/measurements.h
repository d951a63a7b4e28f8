// Quick measurements: each takes about 0.2 s and gives the order of magnitude.
#pragma once

namespace verbcast {

/// Bytes per second that one processor copies between buffers larger than its caches; 0 if there is no
/// memory.
double measureCopyRate();

/// Bytes per second over a TCP connection within this machine, from and into rings of frames; 0 if the
/// loopback interface does not work.
double measureLoopbackRate();

}  // namespace verbcast
