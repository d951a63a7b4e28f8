#include "app/commands/send/sound_blocks.h"

#include <cstring>
#include <utility>

namespace verbcast {
namespace {

constexpr std::chrono::seconds kPatience{1};

}  // namespace

Status SoundBlocks::send(const CapturedSound& block, const SoundFormat& format, std::int64_t pts, bool live,
                         Broadcast& sender, const Event& cancel) {
    const std::uint64_t bytes = block.samples.size() * sizeof(float);
    auto lease = slots_.acquire(format, live ? std::chrono::seconds(0) : kPatience, &cancel);
    if (!lease) {
        return cancel.isSet() ? Status::Cancelled : Status::Ok;
    }
    std::memcpy(lease->data(), block.samples.data(), bytes);
    FrameInfo info;
    info.track = kSoundTrack;
    info.pts = pts;
    info.capturedAt = block.capturedAt;
    return sender.submit(std::move(*lease), TrackFormat::ofSound(format), bytes, info, cancel);
}

}  // namespace verbcast
