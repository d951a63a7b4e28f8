// What this test program does when it is run again as another process: verbs objects do not survive fork().
#pragma once

#include <string>

namespace verbcast::testing {

/// What a child does: connects to the URL, streams frames into the listener's slots until it is killed.
int streamForEver(const std::string& url);
/// What a child does: connects two ends at the URL, prints "connected", and once the device is removed why
/// the first one closed, and twice what kind of error a listener at the URL gives then; "connected again"
/// when that works.
int connectOverARemoval(const std::string& url);
/// What a child does: waits for calls at all addresses, is called once by itself, and once that connection is
/// gone prints "idle" and goes on waiting until it is killed.
int waitIdly();
/// What a child does: calls itself without answering, and prints "calling"; once that ends, why. Then it
/// waits for calls until it is killed.
int callWithoutAnAnswer();
/// What a child does: calls the URL, where nobody answers, for 2 s, prints why it failed, and goes on
/// calling, without an end of its own, until it is killed.
int callAgainAndAgain(const std::string& url);
/// What a child does: tries to register a pool with little lockable memory, and prints "kind: message /
/// remedy".
int registerWithLittleMemory();

}  // namespace verbcast::testing
