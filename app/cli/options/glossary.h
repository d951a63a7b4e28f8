// Words that help, windows and docs/reference.md explain in the same way.
#pragma once

namespace verbcast {

inline constexpr const char* kAddressHelp =
    "verbs://host:port, tcp://host:port, shm://name, or host:port for the best that works (port 7423 if left "
    "out).";
inline constexpr const char* kDroppedHelp =
    "A frame is dropped if it was never sent, because the viewer was not ready for it.";
inline constexpr const char* kLostHelp =
    "A frame is lost if it belongs to a lossless stream and could not be delivered.";
inline constexpr const char* kSkippedHelp =
    "A frame is skipped if it arrived but was not shown, because a newer one had arrived, the viewer "
    "was paused, or it ended.";
inline constexpr const char* kPausedHelp = "A paused viewer keeps its picture; the stream continues.";
inline constexpr const char* kExitCodeHelp =
    "0 done, 1 internal error, 2 usage, 3 input, 4 network or peer lost, 5 memory or disk space, 6 refused "
    "or protocol, 7 device, 8 display, 9 damaged or lost frames, 130 interrupted, 141 the output's reader "
    "has exited.";

}  // namespace verbcast
