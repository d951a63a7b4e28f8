// What one of PipeWire's buffers holds, as far as its producer can be believed: a picture, and what changed
// in it.
#pragma once

#include <spa/buffer/buffer.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/os/clock.h"
#include "core/video/picture_changes.h"
#include "core/video/pixel_format.h"
#include "core/video/video_format.h"

namespace verbcast {

/// The layout of a picture; its pixels have 4 bytes.
struct PictureLayout {
    std::uint32_t width = 0, height = 0;
    PixelFormat pixelFormat = PixelFormat::bgra;
    std::uint16_t rotation = 0;  ///< degrees to turn it clockwise for display
    bool mirrored = false;       ///< also mirrored, which nobody undoes
    friend bool operator==(const PictureLayout&, const PictureLayout&) = default;
};

/// Bytes of a row without padding.
std::size_t rowBytes(const PictureLayout& layout);

/// The rows of a picture in a buffer.
struct BufferPicture {
    PictureLayout layout;
    std::uint64_t topRow = 0;   ///< offset of the top row in the buffer's memory
    std::ptrdiff_t stride = 0;  ///< from a row to the one below it; negative: that one lies before it
    spa_point origin{};         ///< within the buffer
    TimestampNs takenAt = 0;    ///< when the producer made it; now, if it does not stamp with our clock

    /// Whether the buffer starts with the picture and holds nothing else, so that it can be passed on.
    bool isWholeOf(const PictureLayout& buffer) const;
    /// From the top row's first byte to the last row's last byte; for positive strides.
    std::uint64_t bytes() const;
};

/// The picture in a buffer of the layout agreed on, whose `capacity` bytes of memory are readable. The
/// chunk's offset counts from `start` in that memory. Nothing if the buffer holds no picture, only the
/// pointer's place, or one that the producer calls corrupted, that leaves the memory or is too small to be
/// sent.
std::optional<BufferPicture> pictureIn(const spa_buffer& buffer, const PictureLayout& agreed,
                                       std::uint64_t start, std::uint64_t capacity);

/// Copies the rows from the buffer's memory, without padding.
void copyRows(const BufferPicture& picture, const std::byte* memory, std::byte* target);

/// Whether no picture was skipped before this one, as far as the producer numbers them. `number` is the
/// previous picture's, and is set to this one's.
bool isNext(const spa_buffer& buffer, std::uint64_t& number);

/// The producer's changes since its previous picture, for a picture at `origin` of the buffer. All if it
/// tells nothing: a producer that knows no damage leaves an empty list.
PictureChanges damageIn(const spa_buffer& buffer, const spa_point& origin, std::uint32_t width,
                        std::uint32_t height);

}  // namespace verbcast
