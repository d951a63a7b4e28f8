// The program's exit codes, as in docs/reference.md.
#pragma once

namespace verbcast::testing {

inline constexpr int kUsage = 2;
inline constexpr int kInput = 3;
inline constexpr int kNetwork = 4;
inline constexpr int kResource = 5;
inline constexpr int kPeer = 6;  // refused, another version, hostile
inline constexpr int kDevice = 7;
inline constexpr int kDisplay = 8;
inline constexpr int kCorrupt = 9;
inline constexpr int kInterrupted = 130;
inline constexpr int kBrokenPipe = 141;

}  // namespace verbcast::testing
