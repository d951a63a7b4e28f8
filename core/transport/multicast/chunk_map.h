// Which chunks of a frame have come.
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

/// Ranges asked for at once, at most: as many blocks as a path sends of a frame.
inline constexpr std::size_t kMaxRanges = 64;

/// A bitmap. Keeps its memory from frame to frame. Not synchronised.
class ChunkMap {
  public:
    /// All missing; `chunks` at least 1.
    void begin(std::uint32_t chunks);
    std::uint32_t chunks() const { return chunks_; }
    std::uint32_t missing() const { return missing_; }
    bool complete() const { return missing_ == 0; }
    bool empty() const { return missing_ == chunks_; }
    /// A chunk less than chunks().
    bool has(std::uint32_t chunk) const { return (words_[chunk / 64] >> (chunk % 64) & 1U) != 0; }
    /// False when it was there.
    bool add(std::uint32_t chunk);
    /// A range within chunks().
    void add(ChunkRange range);
    /// What is missing before `end`, in order. Where there are more than kMaxRanges gaps, those behind are
    /// left for the next time.
    std::vector<ChunkRange> missingBefore(std::uint32_t end) const;
    /// One behind the last that has come.
    std::uint32_t reached() const { return reached_; }

  private:
    std::uint32_t nextWith(bool present, std::uint32_t from, std::uint32_t end) const;

    std::vector<std::uint64_t> words_;
    std::uint32_t chunks_ = 0;
    std::uint32_t missing_ = 0;
    std::uint32_t reached_ = 0;
};

/// Whether a peer's list of ranges can be: from 1 to kMaxRanges of them, none empty, rising, apart, and
/// within `chunks`. Safe for any numbers.
bool rangesArePossible(std::span<const ChunkRange> ranges, std::uint32_t chunks);

}  // namespace verbcast::multicast
