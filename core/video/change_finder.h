// What of a source's frames is said to have changed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/video/picture_changes.h"
#include "core/video/picture_comparer.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Who says what changed in a picture: see --changes.
enum class ChangesFrom {
    Auto,     ///< the source; if it tells nothing, comparing, where frames travel and as long as it pays
    Source,   ///< what the source tells
    Compare,  ///< each picture compared with the one before, whatever the source tells
    Off,      ///< nobody: each frame stands for itself
};

/// Sees each frame that is sent, in order.
class ChangeFinder {
  public:
    explicit ChangeFinder(ChangesFrom from) : from_(from) {}

    /// What changed since the picture before, of which the source says `told`. `travels`: to some viewer as
    /// bytes.
    PictureChanges look(const VideoFormat& format, const std::byte* payload, const PictureChanges& told,
                        bool travels);
    /// A frame was captured and not sent.
    void skip();

  private:
    PictureChanges lookWherePays(const VideoFormat& format, const std::byte* payload);

    const ChangesFrom from_;
    PictureComparer comparer_;
    bool skipped_ = false;
    bool sourceTells_ = false;
    // Auto: a source of which all changes all the time costs two pictures compared of a growing number.
    std::uint32_t resting_ = 0;  // frames that are not compared
    std::uint32_t nextRest_ = kFirstRest;
    static constexpr std::uint32_t kFirstRest = 4;
    static constexpr std::uint32_t kLongestRest = 512;  // below 1 % of the frames; 8.5 s at 60 fps
};

}  // namespace verbcast
