#include "app/commands/send/sent_sound.h"

namespace verbcast {

SourceSound::Take SentSound::takeTo(Broadcast& sender, const Event& cancel) {
    return [this, &sender, &cancel](const CapturedSound& block, const SoundFormat& format, std::int64_t pts) {
        return blocks_.send(block, format, pts, source_->isLive(), sender, cancel);
    };
}

}  // namespace verbcast
