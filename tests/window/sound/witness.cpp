#include "tests/window/sound/witness.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenLooks = 5ms;
constexpr TimestampNs kGapInRecording = 2'000'000;
constexpr std::uint32_t kWindowsPerSecond = 100;
// No window of the program's own covers it, and no note.
constexpr QPoint kLookedAt{400, 300};

}  // namespace

bool Witness::until(const std::function<bool()>& done, std::chrono::nanoseconds patience) {
    const Deadline deadline = Deadline::in(patience);
    while (!done()) {
        if (deadline.passed()) {
            return false;
        }
        look();
    }
    return true;
}

void Witness::watch(std::chrono::nanoseconds time) {
    const Deadline deadline = Deadline::in(time);
    until([&] { return deadline.passed(); });
}

bool Witness::hears(int clip) const {
    return std::any_of(heard_.end() - std::min<std::ptrdiff_t>(std::ssize(heard_), 10), heard_.end(),
                       [&](const Heard& heard) { return heard.place && heard.place->clip == clip; });
}

void Witness::look() {
    waitReadable({monitor_.waitDescriptor()}, kBetweenLooks);
    while (monitor_.read(block_) == Status::Ok) {
        hear(block_);
    }
    if (const std::optional<Place> place = placeSeen(x_.pixel(kLookedAt))) {
        seen_.push_back({nowNs(), *place});
    }
}

void Witness::hear(const CapturedSound& block) {
    const SoundFormat& format = monitor_.format();
    const std::size_t count = block.samples.size() / format.channels;
    // The monitor passes on what the sink took in the cycle before.
    const TimestampNs at = block.capturedAt - monitor_.cycle().count();
    if (std::abs(at - end_) > kGapInRecording) {
        taken_ = recording_.size();
    }
    const auto lasts = [&](std::size_t samples) {
        return static_cast<TimestampNs>(samples * std::uint64_t{1'000'000'000} / format.rate);
    };
    recording_.insert(recording_.end(), block.samples.begin(),
                      block.samples.begin() + static_cast<std::ptrdiff_t>(count));
    end_ = at + lasts(count);
    const std::size_t window = format.rate / kWindowsPerSecond;
    for (; recording_.size() - taken_ >= window; taken_ += window) {
        const std::span<const float> samples(&recording_[taken_], window);
        Heard heard;
        heard.at = end_ - lasts(recording_.size() - taken_ - window / 2);
        heard.first = taken_;
        heard.samples = window;
        const double energy = std::inner_product(samples.begin(), samples.end(), samples.begin(), 0.0);
        heard.loudness = std::sqrt(energy / static_cast<double>(window));
        if (!heard.silent()) {
            heard.place = placeHeard(samples, format.rate);
        }
        heard_.push_back(heard);
    }
}

}  // namespace verbcast::testing
