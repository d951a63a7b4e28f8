#include "capture/screen/portal/buffer_picture.h"

#include <spa/buffer/meta.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

namespace verbcast {
namespace {

constexpr std::size_t kPixelBytes = 4;

// Time stamps further from now do not use our clock.
constexpr TimestampNs kBelievable = 1'000'000'000;

template <typename Meta>
const Meta* metaOf(const spa_buffer& buffer, std::uint32_t type) {
    return static_cast<const Meta*>(spa_buffer_find_meta_data(&buffer, type, sizeof(Meta)));
}

bool isMarkedCorrupted(const spa_buffer& buffer) {
    const auto* header = metaOf<spa_meta_header>(buffer, SPA_META_Header);
    return (buffer.datas[0].chunk->flags & SPA_CHUNK_FLAG_CORRUPTED) != 0 ||
           (header != nullptr && (header->flags & SPA_META_HEADER_FLAG_CORRUPTED) != 0);
}

TimestampNs momentOf(const spa_buffer& buffer) {
    const TimestampNs now = nowNs();
    const auto* header = metaOf<spa_meta_header>(buffer, SPA_META_Header);
    return header != nullptr && header->pts <= now && header->pts > now - kBelievable ? header->pts : now;
}

/// Sets how the viewer undoes the desktop's transform, which turns counter-clockwise.
void applyTransform(const spa_buffer& buffer, PictureLayout& layout) {
    const auto* meta = metaOf<spa_meta_videotransform>(buffer, SPA_META_VideoTransform);
    if (meta == nullptr || meta->transform > SPA_META_TRANSFORMATION_Flipped270) {
        return;
    }
    constexpr std::uint32_t kQuarters = 4;
    layout.rotation = static_cast<std::uint16_t>(meta->transform % kQuarters * 90);
    layout.mirrored = meta->transform >= SPA_META_TRANSFORMATION_Flipped;
}

/// The picture's part of the buffer; all of it unless the producer says otherwise. Returns nullopt if the
/// producer contradicts itself.
std::optional<spa_region> partOf(const spa_buffer& buffer, const PictureLayout& whole) {
    const auto* crop = metaOf<spa_meta_region>(buffer, SPA_META_VideoCrop);
    if (crop == nullptr || !spa_meta_region_is_valid(crop)) {
        return spa_region{{0, 0}, {whole.width, whole.height}};
    }
    const spa_region part = crop->region;
    const bool fits = part.position.x >= 0 && part.position.y >= 0 &&
                      std::uint64_t(part.position.x) + part.size.width <= whole.width &&
                      std::uint64_t(part.position.y) + part.size.height <= whole.height;
    return fits ? std::optional(part) : std::nullopt;
}

}  // namespace

std::size_t rowBytes(const PictureLayout& layout) {
    return std::size_t{layout.width} * kPixelBytes;
}

bool BufferPicture::isWholeOf(const PictureLayout& buffer) const {
    return topRow == 0 && stride > 0 && layout.width == buffer.width && layout.height == buffer.height;
}

std::uint64_t BufferPicture::bytes() const {
    return static_cast<std::uint64_t>(stride) * (layout.height - 1) + rowBytes(layout);
}

std::optional<BufferPicture> pictureIn(const spa_buffer& buffer, const PictureLayout& agreed,
                                       std::uint64_t start, std::uint64_t capacity) {
    if (buffer.n_datas == 0 || buffer.datas[0].chunk == nullptr || isMarkedCorrupted(buffer)) {
        return std::nullopt;
    }
    const auto part = partOf(buffer, agreed);
    if (!part || buffer.datas[0].chunk->size == 0) {
        return std::nullopt;  // such as an update of the pointer only
    }
    if (part->size.width < kMinDimension || part->size.height < kMinDimension) {
        return std::nullopt;  // a window too small for a stream
    }
    // A negative stride means bottom-up; the rows are in memory all the same.
    const std::int64_t stride = buffer.datas[0].chunk->stride;
    const auto least = static_cast<std::int64_t>(rowBytes(agreed));
    const std::uint64_t offset = buffer.datas[0].chunk->offset;
    const std::uint64_t bytes = static_cast<std::uint64_t>(std::abs(stride)) * (agreed.height - 1) +
                                static_cast<std::uint64_t>(least);
    if (std::abs(stride) < least || start > capacity || offset > capacity - start ||
        bytes > capacity - start - offset) {
        return std::nullopt;
    }
    BufferPicture picture{.layout = agreed, .stride = stride, .origin = part->position};
    picture.layout.width = part->size.width;
    picture.layout.height = part->size.height;
    applyTransform(buffer, picture.layout);
    auto row = static_cast<std::int64_t>(start + offset);
    row -= stride < 0 ? stride * (std::int64_t{agreed.height} - 1) : 0;
    row += part->position.y * stride + part->position.x * std::int64_t{kPixelBytes};
    picture.topRow = static_cast<std::uint64_t>(row);
    picture.takenAt = momentOf(buffer);
    return picture;
}

void copyRows(const BufferPicture& picture, const std::byte* memory, std::byte* target) {
    const std::size_t bytes = rowBytes(picture.layout);
    const std::byte* const top = memory + picture.topRow;
    if (picture.stride == static_cast<std::ptrdiff_t>(bytes)) {
        std::memcpy(target, top, bytes * picture.layout.height);
        return;
    }
    for (std::uint32_t row = 0; row < picture.layout.height; ++row) {
        std::memcpy(target + row * bytes, top + static_cast<std::ptrdiff_t>(row) * picture.stride, bytes);
    }
}

bool isNext(const spa_buffer& buffer, std::uint64_t& number) {
    const auto* header = metaOf<spa_meta_header>(buffer, SPA_META_Header);
    if (header == nullptr) {
        return true;
    }
    const std::uint64_t before = std::exchange(number, header->seq);
    return (header->flags & SPA_META_HEADER_FLAG_DISCONT) == 0 &&
           (header->seq == before + 1 || header->seq == 0);
}

PictureChanges damageIn(const spa_buffer& buffer, const spa_point& origin, std::uint32_t width,
                        std::uint32_t height) {
    const spa_meta* meta = spa_buffer_find_meta(&buffer, SPA_META_VideoDamage);
    if (meta == nullptr) {
        return PictureChanges::all();
    }
    PictureChanges changes = PictureChanges::none();
    bool any = false;
    const std::size_t most = meta->size / sizeof(spa_meta_region);
    for (const spa_meta_region& each : std::span(static_cast<const spa_meta_region*>(meta->data), most)) {
        if (!spa_meta_region_is_valid(&each)) {
            break;
        }
        any = true;
        const auto clipped = [](std::int64_t from, std::uint32_t length, std::uint32_t limit) {
            const std::int64_t begin = std::clamp<std::int64_t>(from, 0, limit);
            const std::int64_t end = std::clamp<std::int64_t>(from + std::int64_t{length}, 0, limit);
            return std::pair(static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end - begin));
        };
        const spa_region& region = each.region;
        const auto [x, across] =
            clipped(std::int64_t{region.position.x} - origin.x, region.size.width, width);
        const auto [y, down] =
            clipped(std::int64_t{region.position.y} - origin.y, region.size.height, height);
        changes.add(FrameRect{x, y, across, down});
    }
    return any ? changes : PictureChanges::all();
}

}  // namespace verbcast
