// Reads the metadata of PipeWire's buffers.
#pragma once

#include <spa/buffer/buffer.h>
#include <spa/buffer/meta.h>

#include <cstdint>

#include "core/base/os/clock.h"
#include "core/video/picture_changes.h"

namespace verbcast {

template <typename Meta>
const Meta* metaOf(const spa_buffer& buffer, std::uint32_t type) {
    return static_cast<const Meta*>(spa_buffer_find_meta_data(&buffer, type, sizeof(Meta)));
}

bool isMarkedCorrupted(const spa_buffer& buffer);

/// When the producer made the picture; now, if it does not stamp with our clock.
TimestampNs momentOf(const spa_buffer& buffer);

/// Whether no picture was skipped before this one, as far as the producer numbers them. `number` is the
/// previous picture's, and is set to this one's.
bool isNext(const spa_buffer& buffer, std::uint64_t& number);

/// The producer's changes since its previous picture, for a picture at `origin` of the buffer. All if it
/// tells nothing: a producer that knows no damage leaves an empty list.
PictureChanges damageIn(const spa_buffer& buffer, const spa_point& origin, std::uint32_t width,
                        std::uint32_t height);

}  // namespace verbcast
