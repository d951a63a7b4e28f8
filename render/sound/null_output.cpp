#include "render/sound/null_output.h"

namespace verbcast {
namespace {

constexpr TimestampNs kPeriod = 10'000'000;
constexpr std::uint32_t kPeriodsPerSecond = 100;
// A thread that is later than a device's buffer lasts.
constexpr TimestampNs kUnderrun = 10 * kPeriod;

}  // namespace

NullOutput::NullOutput(const SoundOutputOptions& options, SoundFiller& filler)
    : rate_(options.rate),
      channels_(options.channels),
      filler_(filler),
      samples_(std::size_t{rate_ / kPeriodsPerSecond} * channels_),
      thread_([this] { run(); }) {}

void NullOutput::run() {
    const std::uint32_t each = rate_ / kPeriodsPerSecond;
    TimestampNs start = nowNs();
    for (std::uint64_t played = 0; !stop_.isSet(); played += each) {
        // Rates that 100 does not divide drift off 10 ms, never off the clock.
        const TimestampNs due = start + static_cast<TimestampNs>(played * 1'000'000'000 / rate_);
        if (!waitUntil(due, stop_)) {
            return;
        }
        filler_.fill(samples_, channels_, rate_, due + kPeriod);
        if (nowNs() - due > kUnderrun) {
            underruns_.fetch_add(1, std::memory_order_relaxed);
            start = nowNs();
            played = 0;
        }
    }
}

SoundOutputStatus NullOutput::status() const {
    return {.device = "none",
            .problem = "",
            .rate = rate_,
            .channels = channels_,
            .delay = kPeriod,
            .underruns = underruns_};
}

}  // namespace verbcast
