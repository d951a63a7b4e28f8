// Decides what to report as changed in a source's frames, and finds it where the source does not say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/video/picture_changes.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Keeps a hash (XXH3, 64 bits) of each tile of the previous picture: a change goes unnoticed once in 2^64
/// tiles. Reads each picture once, at about memory speed: 33 MB of 4K rgba in some 3 ms.
class PictureComparer {
  public:
    /// What changed since the previous picture, in whole tiles: everything if the format is new or there was
    /// no previous picture.
    PictureChanges compare(const VideoFormat& format, const std::byte* payload);
    /// The picture before the next one was not passed to compare().
    void forget() { format_.reset(); }
    /// Whether compare() has something to compare with.
    bool knowsPicture() const { return format_.has_value(); }

  private:
    void hash(const VideoFormat& format, const std::byte* payload);

    std::optional<VideoFormat> format_;  // of the previous picture
    std::vector<std::uint64_t> before_, now_;
};

/// Who decides what changed in a picture: see --changes.
enum class ChangesFrom {
    Auto,     ///< the source; if it reports nothing, comparing, for frames that travel and while it pays
    Source,   ///< what the source reports
    Compare,  ///< each picture compared with the previous one, whatever the source reports
    Off,      ///< nobody: each frame stands alone
};

/// Sees every frame that is sent, in order.
class ChangeFinder {
  public:
    explicit ChangeFinder(ChangesFrom from) : from_(from) {}

    /// What changed since the previous picture, for which the source reports `told`. `travels`: some viewer
    /// gets it as bytes.
    PictureChanges look(const VideoFormat& format, const std::byte* payload, const PictureChanges& told,
                        bool travels);
    /// A frame was captured but not sent.
    void skip();

  private:
    PictureChanges lookWherePays(const VideoFormat& format, const std::byte* payload);

    const ChangesFrom from_;
    PictureComparer comparer_;
    bool skipped_ = false;
    bool sourceTells_ = false;
    // Auto: a source that changes everything all the time costs two comparisons per pause, and the pauses
    // grow.
    std::uint32_t resting_ = 0;  // frames still to pass without comparing
    std::uint32_t nextRest_ = kFirstRest;
    static constexpr std::uint32_t kFirstRest = 4;
    static constexpr std::uint32_t kLongestRest = 512;  // comparing below 1 % of the frames; 8.5 s at 60 fps
};

}  // namespace verbcast
