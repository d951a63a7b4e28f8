#include "app/commands/relay/relayed_sound.h"

#include <utility>

namespace verbcast {

void RelayedSound::start(Broadcast& sender) {
    if (!mayDrop(policy_)) {
        return;
    }
    next_ = {};
    thread_.emplace(
        stream_,
        [this, &sender](const ArrivedSound& sound) {
            static_cast<void>(submit(sound.frame, sender, never_));  // it waits for nobody
        },
        [this] { ended_.notify(); });
}

bool RelayedSound::sendMeanwhile(Broadcast& sender, const Event& cancel) {
    const auto take = [&] {
        return next_.lease || stream_.receive(next_, std::chrono::nanoseconds(0), kSoundTrack) == Status::Ok;
    };
    while (!mayDrop(policy_) && take()) {
        if (submit(next_, sender, cancel) != Status::Ok) {
            break;  // nobody is there
        }
        next_ = {};
    }
    return sends_;
}

void RelayedSound::awaitEnd(const Event& cancel) {
    if (thread_) {
        waitReadable({ended_.descriptor(), cancel.descriptor()}, Deadline::never());
    }
}

Status RelayedSound::submit(const ReceivedFrame& block, Broadcast& sender, const Event& cancel) {
    FrameInfo info;
    info.pts = block.info.pts;
    info.flags = block.info.flags;
    info.capturedAt = block.clockKnown ? block.capturedAt : block.arrivedAt;
    sends_ = true;
    return blocks_.send(*block.sound, {block.lease.data(), block.info.payloadBytes}, info,
                        mayDrop(policy_) ? std::chrono::nanoseconds(0) : std::chrono::nanoseconds::max(),
                        sender, cancel);
}

}  // namespace verbcast
