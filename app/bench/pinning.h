// --pin: which processor a process or thread of a benchmark runs on.
#pragma once

namespace verbcast {

/// Keeps the calling thread, and those that it starts from now on, on one processor. Throws Error{Usage} when
/// this machine or container has no such processor.
void pinThread(int processor);

}  // namespace verbcast
