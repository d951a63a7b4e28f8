#include "capture/screen/portal/buffer_news.h"

#include <algorithm>
#include <span>
#include <utility>

namespace verbcast {
namespace {

// Time stamps further from now do not use our clock.
constexpr TimestampNs kBelievable = 1'000'000'000;

}  // namespace

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
