// Roles of this test program when it is run again as another process: verbs objects do not survive fork().
#pragma once

#include <string>

namespace verbcast::testing {

/// Connects to the URL and streams frames into the listener's slots until killed.
int streamForEver(const std::string& url);
/// Connects two ends at the URL and prints "connected". Once the device is removed, prints why the first one
/// closed and, twice, the kind of error that listening at the URL then gives; prints "connected again" when
/// that works.
int connectOverARemoval(const std::string& url);
/// Listens at all addresses, accepts one connection from itself, prints "idle" once that is gone, and
/// continues to wait until killed.
int waitIdly();
/// Connects to itself without answering and prints "calling"; once that fails, prints why. Then listens until
/// killed.
int callWithoutAnAnswer();
/// Connects for 2 s to the URL, where nobody answers, prints why that failed, and then retries without a time
/// limit until killed.
int callAgainAndAgain(const std::string& url);
/// Tries to register a pool with little lockable memory and prints "kind: message / remedy".
int registerWithLittleMemory();

}  // namespace verbcast::testing
