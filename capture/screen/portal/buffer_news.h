// What PipeWire's buffers tell beside the picture.
#pragma once

#include <spa/buffer/buffer.h>
#include <spa/buffer/meta.h>

#include <cstdint>

#include "core/base/clock.h"
#include "core/video/picture_changes.h"

namespace verbcast {

template <typename Meta>
const Meta* metaOf(const spa_buffer& buffer, std::uint32_t type) {
    return static_cast<const Meta*>(spa_buffer_find_meta_data(&buffer, type, sizeof(Meta)));
}

bool isMarkedCorrupted(const spa_buffer& buffer);

/// When the producer made the picture; now, where it does not tell by our clock.
TimestampNs momentOf(const spa_buffer& buffer);

/// Whether no picture was left out before this one, as far as the producer numbers them; `number` is that of
/// the one before, and becomes this one's.
bool isNext(const spa_buffer& buffer, std::uint64_t& number);

/// What the producer says has changed since its picture before, in a picture that lies at `origin` of the
/// buffer. All where it says nothing: a list without a rectangle is what one leaves that knows no damage.
PictureChanges damageIn(const spa_buffer& buffer, const spa_point& origin, std::uint32_t width,
                        std::uint32_t height);

}  // namespace verbcast
