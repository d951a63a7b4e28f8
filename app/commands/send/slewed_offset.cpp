#include "app/commands/send/slewed_offset.h"

#include <cmath>

namespace verbcast {
namespace {

constexpr std::int64_t kSamplesPerStep = 200;  // of one sample: half a per cent
constexpr std::int64_t kTolerated = 1000;      // the part of a second by which the offset need not follow
constexpr std::int64_t kLeap = 20;             // the part of a second beyond which it follows at once

}  // namespace

bool SlewedOffset::follow(double moved, std::uint32_t rate, std::int64_t samples) {
    const std::int64_t wanted = std::llround(moved * rate);
    if (rate_ != rate || !offset_ || std::abs(wanted - *offset_) > rate / kLeap) {
        rate_ = rate;
        offset_ = wanted;
        sinceStep_ = 0;
        return false;
    }
    if (std::abs(wanted - *offset_) > rate / kTolerated) {
        sinceStep_ += samples;
        if (sinceStep_ >= kSamplesPerStep) {
            *offset_ += wanted > *offset_ ? 1 : -1;
            sinceStep_ = 0;
        }
    }
    return true;
}

}  // namespace verbcast
