#include "app/commands/compose/mosaic/sound/composed_sound.h"

#include <span>

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
    FrameInfo info;
    info.pts = block_.pts;
    info.capturedAt = block_.capturedAt;
    return blocks_.send(block_.format, std::as_bytes(std::span(block_.planar)), info,
                        mayDrop(policy_) ? std::chrono::nanoseconds(0) : std::chrono::nanoseconds::max(),
                        sender, cancel);
}

}  // namespace verbcast
