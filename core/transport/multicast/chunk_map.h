// Which chunks of a frame have arrived.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace verbcast::multicast {

/// `count` chunks from `first` on.
struct ChunkRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    friend bool operator==(const ChunkRange&, const ChunkRange&) = default;
};
static_assert(sizeof(ChunkRange) == 8);

/// Maximum number of ranges requested at once: as many as the blocks that a path sends per frame.
inline constexpr std::size_t kMaxRanges = 64;

/// A bitmap that keeps its memory from frame to frame. Not synchronised.
class ChunkMap {
  public:
    /// Marks all as missing; `chunks` is at least 1.
    void begin(std::uint32_t chunks);
    std::uint32_t chunks() const { return chunks_; }
    std::uint32_t missing() const { return missing_; }
    bool complete() const { return missing_ == 0; }
    bool empty() const { return missing_ == chunks_; }
    /// `chunk` is less than chunks().
    bool has(std::uint32_t chunk) const { return (words_[chunk / 64] >> (chunk % 64) & 1U) != 0; }
    /// False if it was there.
    bool add(std::uint32_t chunk);
    /// The range lies within chunks().
    void add(ChunkRange range);
    /// The missing chunks before `end`, in order. Of more than kMaxRanges gaps, the later ones are left for
    /// next time.
    std::vector<ChunkRange> missingBefore(std::uint32_t end) const;
    /// One past the last that has arrived.
    std::uint32_t reached() const { return reached_; }

  private:
    std::uint32_t nextWith(bool present, std::uint32_t from, std::uint32_t end) const;

    std::vector<std::uint64_t> words_;
    std::uint32_t chunks_ = 0;
    std::uint32_t missing_ = 0;
    std::uint32_t reached_ = 0;
};

/// Whether a peer's list of ranges is valid: 1 to kMaxRanges of them, none empty, ascending, disjoint, and
/// within `chunks`. Safe for any numbers.
bool rangesArePossible(std::span<const ChunkRange> ranges, std::uint32_t chunks);

}  // namespace verbcast::multicast
