// What changed from frame to frame of a track, as far back as it pays to know.
#pragma once

#include <cstdint>
#include <vector>

#include "core/video/picture_changes.h"

namespace verbcast {

/// Remembers the changes that a track's frames reported, so that the difference between any two can be told.
/// It gets coarser with age: entries kDepth/2 and more frames old are joined in pairs, again and again, and
/// the difference between two frames is then that of the joined entries.
class ChangeHistory {
  public:
    static constexpr std::size_t kDepth = 64;  ///< 1 s at 60 fps before frames are joined

    /// Adds the next frame of the track. A frame that stands alone, or whose sequence does not follow the
    /// previous one, discards the history.
    void add(const FrameInfo& info);

    /// What may look different in frame `to` compared with an earlier frame `from`; all of it if unknown.
    PictureChanges between(std::uint64_t from, std::uint64_t to) const;

  private:
    struct Entry {
        std::uint64_t sequence;  ///< of the frame
        PictureChanges changes;  ///< since the previous entry; for the first, since base_
    };
    void join();

    std::uint64_t base_ = 0;
    bool any_ = false;  // any frames at all
    std::vector<Entry> entries_;
};

}  // namespace verbcast
