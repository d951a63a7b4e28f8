// What our programs print when they crash.
#pragma once

namespace verbcast {

/// For main(), once: SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT print the signal, the version and a
/// backtrace on stderr, an exception that nobody catches its text besides, and the program then dies of the
/// signal as it would have without this: core dumps and what its parent sees stay the same. Functions have
/// names where the program is linked with its symbols exported (ENABLE_EXPORTS). An overflow of the main
/// thread's stack is reported, too. Sanitizers report more: in their builds this does nothing. `program`
/// stays alive.
void reportCrashes(const char* program);

}  // namespace verbcast
