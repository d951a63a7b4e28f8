// What changed from frame to frame of a track, for as far back as it pays to know.
#pragma once

#include <cstdint>
#include <vector>

#include "core/video/picture_changes.h"

namespace verbcast {

/// Remembers what the frames of a track said of themselves, so that the difference of any two can be told.
/// The older the frames, the coarser: those of kDepth/2 and more frames ago are joined in pairs, again and
/// again, and the difference of two is then that of the joined ones.
class ChangeHistory {
  public:
    static constexpr std::size_t kDepth = 64;  ///< 1 s at 60 fps until frames are joined

    /// The next frame of the track. One that stands for itself, or that does not follow the one before by its
    /// sequence, ends what was known.
    void add(const FrameInfo& info);

    /// What of the frame `to` may look different from the frame `from`, an earlier one: all of it where that
    /// is not known.
    PictureChanges between(std::uint64_t from, std::uint64_t to) const;

  private:
    struct Entry {
        std::uint64_t sequence;  ///< of the frame,
        PictureChanges changes;  ///< since that of the entry before; of the first, since base_
    };
    void join();

    std::uint64_t base_ = 0;
    bool any_ = false;  // frames at all
    std::vector<Entry> entries_;
};

}  // namespace verbcast
