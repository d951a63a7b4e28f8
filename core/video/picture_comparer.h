// Finds what changed between pictures whose source does not report it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/video/picture_changes.h"

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

}  // namespace verbcast
