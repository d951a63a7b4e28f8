#include "app/commands/compose/mosaic/sound/composed_sound.h"

#include <cstring>
#include <utility>

namespace verbcast {

void ComposedSound::start(Broadcast& sender) {
    sender_ = &sender;
    if (!mayDrop(policy_)) {
        return;
    }
    thread_.emplace(
        [this, &sender] {
            while (!stop_.isSet()) {
                waitReadable({desk_.news().descriptor(), stop_.descriptor()}, Deadline::never());
                desk_.news().clear();
                static_cast<void>(sendAll(sender, stop_));
            }
        },
        [] {});
}

Status ComposedSound::sendWith(const PlaceOfPicture& /*picture*/, Broadcast& sender, const Event& cancel) {
    return mayDrop(policy_) ? Status::Ok : sendAll(sender, cancel);
}

void ComposedSound::awaitEnd(const Event& cancel) {
    stop_.notify();
    thread_.reset();
    static_cast<void>(sendAll(*sender_, cancel));
}

Status ComposedSound::sendAll(Broadcast& sender, const Event& cancel) {
    while (desk_.next(block_)) {
        if (submit(sender, cancel) == Status::Cancelled) {
            return Status::Cancelled;
        }
    }
    return Status::Ok;
}

Status ComposedSound::submit(Broadcast& sender, const Event& cancel) {
    auto slot = slots_.acquire(
        block_.format, mayDrop(policy_) ? std::chrono::nanoseconds(0) : std::chrono::nanoseconds::max(),
        &cancel);
    if (!slot) {
        return mayDrop(policy_) ? Status::Ok : Status::Cancelled;
    }
    const std::uint64_t bytes = block_.planar.size() * sizeof(float);
    std::memcpy(slot->data(), block_.planar.data(), bytes);
    FrameInfo info;
    info.track = kSoundTrack;
    info.pts = block_.pts;
    info.capturedAt = block_.capturedAt;
    return sender.submit(std::move(*slot), TrackFormat::ofSound(block_.format), bytes, info, cancel);
}

}  // namespace verbcast
