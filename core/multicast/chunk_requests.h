// By which way a chunk that a viewer of a group lacks reaches it: written to that viewer alone, or sent to
// the group again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/multicast/group_messages.h"

namespace verbcast::multicast {

/// What the group may carry once more: a small part of what it carries, so that viewers that request much
/// cost the others no more. In bytes.
class RepeatShare {
  public:
    explicit RepeatShare(std::uint32_t chunkBytes) : chunkBytes_(chunkBytes) {}
    /// Whether a chunk may be repeated; if so, it counts.
    bool take();
    /// So many chunks of a frame have left. The share is never larger than a frame.
    void earn(std::uint32_t chunks, std::uint64_t frameBytes);

  private:
    const std::uint32_t chunkBytes_;
    std::uint64_t bytes_ = kMaxFrameBytes;
};

/// Who asked for which chunks of one frame.
class ChunkRequests {
  public:
    struct Ask {
        std::uint64_t viewer = 0;
        std::span<const ChunkRange> ranges;  ///< of the frame
        std::uint32_t chunks = 0;            ///< the frame has
        std::uint32_t left = 0;              ///< of which the first so many have left
        bool alone = false;                  ///< the group is no way to this viewer
        bool writable = true;                ///< false: the group is the only way
    };
    struct Choice {
        std::vector<ChunkRange> alone;  ///< to be written to the viewer alone
        std::vector<ChunkRange> again;  ///< to be sent to the group
        std::uint32_t lost = 0;         ///< chunks that had left but did not arrive
    };
    /// The first viewer that lacks a chunk is written to; a second shows that the loss is common, so that the
    /// group gets the chunk again. What may not be repeated is written or, if it cannot be, has to be asked
    /// for again.
    Choice choose(const Ask& ask, RepeatShare& repeats);

  private:
    static constexpr std::uint16_t kRepeated = 0xffff;
    std::vector<std::uint16_t> askedBy_;  // by chunk: who asked for it first, or kRepeated; empty: nobody
};

}  // namespace verbcast::multicast
