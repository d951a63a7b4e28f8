#include "core/transport/multicast/chunk_map.h"

#include <algorithm>
#include <bit>

namespace verbcast::multicast {

void ChunkMap::begin(std::uint32_t chunks) {
    words_.assign((chunks + 63) / 64, 0);
    chunks_ = chunks;
    missing_ = chunks;
    reached_ = 0;
}

bool ChunkMap::add(std::uint32_t chunk) {
    std::uint64_t& word = words_[chunk / 64];
    const std::uint64_t bit = std::uint64_t{1} << (chunk % 64);
    if ((word & bit) != 0) {
        return false;
    }
    word |= bit;
    --missing_;
    reached_ = std::max(reached_, chunk + 1);
    return true;
}

void ChunkMap::add(ChunkRange range) {
    for (std::uint32_t i = 0; i < range.count; ++i) {
        add(range.first + i);
    }
}

/// The first chunk at or after `from` that is present, or is not; `end` if there is none.
std::uint32_t ChunkMap::nextWith(bool present, std::uint32_t from, std::uint32_t end) const {
    while (from < end) {
        const std::uint64_t word = present ? words_[from / 64] : ~words_[from / 64];
        const std::uint64_t rest = word >> (from % 64);
        if (rest != 0) {
            return std::min(end, from + static_cast<std::uint32_t>(std::countr_zero(rest)));
        }
        from = (from / 64 + 1) * 64;
    }
    return end;
}

std::vector<ChunkRange> ChunkMap::missingBefore(std::uint32_t end) const {
    end = std::min(end, chunks_);
    std::vector<ChunkRange> ranges;
    for (std::uint32_t at = nextWith(false, 0, end); at < end && ranges.size() < kMaxRanges;) {
        const std::uint32_t stop = nextWith(true, at, end);
        ranges.push_back({at, stop - at});
        at = nextWith(false, stop, end);
    }
    return ranges;
}

bool rangesArePossible(std::span<const ChunkRange> ranges, std::uint32_t chunks) {
    if (ranges.empty() || ranges.size() > kMaxRanges) {
        return false;
    }
    std::uint64_t from = 0;
    for (const ChunkRange& range : ranges) {
        const std::uint64_t end = std::uint64_t{range.first} + range.count;
        if (range.count == 0 || range.first < from || end > chunks) {
            return false;
        }
        from = end;
    }
    return true;
}

}  // namespace verbcast::multicast
