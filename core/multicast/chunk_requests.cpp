#include "core/multicast/chunk_requests.h"

#include <algorithm>
#include <utility>

namespace verbcast::multicast {
namespace {

// One byte in this many may be a repeat.
constexpr std::uint64_t kPerRepeat = 32;

void append(std::vector<ChunkRange>& list, std::uint32_t chunk) {
    if (!list.empty() && list.back().first + list.back().count == chunk) {
        ++list.back().count;
    } else {
        list.push_back({chunk, 1});
    }
}

}  // namespace

bool RepeatShare::take() {
    const bool may = bytes_ >= chunkBytes_;
    bytes_ -= may ? chunkBytes_ : 0;
    return may;
}

void RepeatShare::earn(std::uint32_t chunks, std::uint64_t frameBytes) {
    bytes_ = std::min(frameBytes, bytes_ + std::uint64_t{chunks} * chunkBytes_ / kPerRepeat);
}

ChunkRequests::Choice ChunkRequests::choose(const Ask& ask, RepeatShare& repeats) {
    if (askedBy_.empty()) {
        askedBy_.assign(ask.chunks, 0);
    }
    const auto self = static_cast<std::uint16_t>(ask.viewer % (kRepeated - 1) + 1);
    Choice choice;
    for (const ChunkRange& range : ask.ranges) {
        const std::uint32_t end =
            std::min(range.first + range.count, ask.left);  // those behind have not left
        for (std::uint32_t chunk = range.first; chunk < end; ++chunk) {
            std::uint16_t& asked = askedBy_[chunk];
            ++choice.lost;
            if (!ask.writable) {
                if (repeats.take()) {
                    asked = kRepeated;
                    append(choice.again, chunk);
                }
            } else if (ask.alone || asked == 0 || asked == self || (asked != kRepeated && !repeats.take())) {
                asked = asked == 0 ? self : asked;
                append(choice.alone, chunk);
            } else if (std::exchange(asked, kRepeated) != kRepeated) {
                append(choice.again, chunk);
            }
        }
    }
    return choice;
}

}  // namespace verbcast::multicast
