#include "app/commands/send/sound_blocks.h"

#include <cstring>
#include <utility>

namespace verbcast {
namespace {

constexpr std::chrono::seconds kPatience{1};

}  // namespace

Status SoundBlocks::send(const SoundFormat& format, std::span<const std::byte> planar, FrameInfo info,
                         std::chrono::nanoseconds patience, Broadcast& sender, const Event& cancel) {
    auto slot = slots_.acquire(format, patience, &cancel);
    if (!slot) {
        return cancel.isSet() ? Status::Cancelled : Status::Ok;
    }
    std::memcpy(slot->data(), planar.data(), planar.size());
    info.track = kSoundTrack;
    return sender.submit(std::move(*slot), TrackFormat::ofSound(format), planar.size(), info, cancel);
}

Status SoundBlocks::send(const CapturedSound& block, const SoundFormat& format, std::int64_t pts, bool live,
                         Broadcast& sender, const Event& cancel) {
    FrameInfo info;
    info.pts = pts;
    info.capturedAt = block.capturedAt;
    return send(format, std::as_bytes(std::span(block.samples)), info,
                live ? std::chrono::seconds(0) : kPatience, sender, cancel);
}

}  // namespace verbcast
