// One host's part of `verbcast pipe run`.
#pragma once

namespace verbcast {

/// Takes orders on standard input and reports on standard output (stage_protocol.h) until standard input
/// ends. Returns the exit code: 0 if everything was done as ordered.
int runStage();

}  // namespace verbcast
