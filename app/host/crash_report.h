// What our programs print when they crash.
#pragma once

namespace verbcast {

/// Call once in main(). SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT print the signal, the version and a
/// backtrace on stderr; an uncaught exception also prints its text. The program then dies of the signal as it
/// would otherwise: core dumps and what its parent sees stay the same. Functions have names if the program
/// exports its symbols (ENABLE_EXPORTS). Overflows of the main thread's stack are reported too. Does nothing
/// in sanitizer builds: sanitizers report more. `program` must stay valid.
void reportCrashes(const char* program);

}  // namespace verbcast
