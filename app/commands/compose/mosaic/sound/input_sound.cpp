#include "app/commands/compose/mosaic/sound/input_sound.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace verbcast {
namespace {

constexpr double kMaxWaiting = 2;            // seconds, besides what the pictures' delay asks for
constexpr double kAhead = 1, kBehind = 0.3;  // seconds from now: near
constexpr double kMaxTime = 1e10;            // seconds; beyond that, samples cannot be counted

}  // namespace

InputSound::InputSound(const Event& news, std::chrono::nanoseconds pictureDelay)
    : news_(news), maxWaiting_(kMaxWaiting + std::chrono::duration<double>(pictureDelay).count()) {}

void InputSound::take(const ArrivedSound& sound) {
    const ReceivedFrame& frame = sound.frame;
    // Slots begin at pages.
    put(sound.format, frame.info.pts,
        {reinterpret_cast<const float*>(sound.planar.data()), sound.planar.size() / sizeof(float)},
        sound.follows, frame.clockKnown ? frame.capturedAt : frame.arrivedAt);
}

void InputSound::put(const SoundFormat& format, std::int64_t pts, std::span<const float> planar, bool follows,
                     TimestampNs capturedAt) {
    if (std::abs(format.secondsOf(pts)) > kMaxTime) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back({format, pts, capturedAt, follows, {planar.begin(), planar.end()}});
        seconds_ += format.secondsOf(waiting_.back().samples());
        sounded_ = true;
        while (seconds_ > maxWaiting_) {
            dropFirst();  // the least likely to be wanted
        }
    }
    news_.notify();
}

void InputSound::dropFirst() {
    seconds_ -= waiting_.front().format.secondsOf(waiting_.front().samples());
    waiting_.pop_front();
}

void InputSound::pictureDrawn(double shown, double media) {
    if (std::abs(shown) <= kMaxTime) {
        const std::lock_guard lock(mutex_);
        tie_.add(shown, media);
    }
}

bool InputSound::hasSounded() const {
    const std::lock_guard lock(mutex_);
    return sounded_;
}

bool InputSound::isNear(const PlacedSound& block, double now) const {
    const double media = tie_.localOf(block.begin());
    return media >= now - kBehind && media <= now + kAhead;
}

bool InputSound::next(double now, PlacedSound& block) {
    const std::lock_guard lock(mutex_);
    const auto near = std::ranges::find_if(
        waiting_, [&](const PlacedSound& each) { return tie_.tied() && isNear(each, now); });
    if (near == waiting_.end()) {
        return false;
    }
    const auto skipped = near - waiting_.begin();
    for (auto i = skipped; i > 0; --i) {
        dropFirst();
    }
    block = waiting_.front();
    dropFirst();
    block.follows = block.follows && skipped == 0;
    place(block);
    return true;
}

/// Moves it from the input's time line to the mosaic's.
void InputSound::place(PlacedSound& block) {
    const double moved = tie_.localOf(block.begin()) - block.begin();
    const bool follows = offset_.follow(moved, block.format.rate, block.samples());
    block.follows = block.follows && follows;
    block.pts += offset_.samples();
}

}  // namespace verbcast
