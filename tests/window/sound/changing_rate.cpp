#include "tests/window/sound/changing_rate.h"

#include <cmath>
#include <cstring>
#include <numbers>

#include "tests/window/sound/timed_clip.h"

namespace verbcast::testing {
namespace {

constexpr std::chrono::seconds kViewerPatience{30};
constexpr double kAhead = 0.2;  // seconds; as a file's sound

VideoFormat pictureFormat() {
    VideoFormat format = tightFormat(64, 36, PixelFormat::rgba);
    format.timeBase = {1, kClipFps};
    return format;
}

SenderOptions optionsFor(const std::string& address) {
    SenderOptions options;
    options.url = parseUrl(address);
    options.hasSound = true;
    return options;
}

}  // namespace

ChangingRate::ChangingRate(const std::string& address)
    : format_(pictureFormat()),
      pictures_(FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = 8})),
      broadcast_(optionsFor(address)),
      thread_([this] { run(); }) {}

void ChangingRate::run() {
    if (broadcast_.waitForReceiver(kViewerPatience, stop_) != Status::Ok) {
        return;
    }
    const TimestampNs start = nowNs();
    for (std::int64_t picture = 0;; ++picture) {
        const double media = static_cast<double>(picture) / kClipFps;
        if (!broadcast_.waitUntilDue(start + static_cast<TimestampNs>(media * 1e9), stop_) ||
            !sendPicture(picture) || !sendSoundUntil(media + kAhead)) {
            return;
        }
    }
}

bool ChangingRate::sendPicture(std::int64_t number) {
    auto lease = pictures_->acquire(kViewerPatience, &stop_);
    if (!lease) {
        return false;
    }
    const QRgb colour = timedColour({0, std::fmod(static_cast<double>(number) / kClipFps, kMaxClipSeconds)});
    const std::uint8_t rgba[] = {static_cast<std::uint8_t>(qRed(colour)),
                                 static_cast<std::uint8_t>(qGreen(colour)),
                                 static_cast<std::uint8_t>(qBlue(colour)), 255};
    for (std::uint64_t i = 0; i < format_.payloadBytes; i += sizeof rgba) {
        std::memcpy(lease->data() + i, rgba, sizeof rgba);
    }
    FrameInfo info;
    info.pts = number;
    info.capturedAt = nowNs();
    return broadcast_.submit(std::move(*lease), format_, info, stop_) == Status::Ok;
}

bool ChangingRate::sendSoundUntil(double end) {
    while (static_cast<double>(blocks_) / kSoundBlocksPerSecond < end) {
        if (!sendSound(changed_ ? 44'100 : 48'000)) {
            return false;
        }
    }
    return true;
}

bool ChangingRate::sendSound(std::uint32_t rate) {
    const SoundFormat format{
        .rate = rate, .channels = 1, .maxSamples = static_cast<std::uint16_t>(rate / kSoundBlocksPerSecond)};
    auto lease = sound_.acquire(format, kViewerPatience, &stop_);
    if (!lease) {
        return false;
    }
    FrameInfo info;
    info.track = kSoundTrack;
    info.pts = blocks_++ * format.maxSamples;
    info.capturedAt = nowNs();
    auto* const samples = reinterpret_cast<float*>(lease->data());
    for (std::uint16_t i = 0; i < format.maxSamples; ++i) {
        const double at = static_cast<double>(info.pts + i) / rate;
        samples[i] = kClipPeak * static_cast<float>(std::sin(2 * std::numbers::pi * kPitch * at));
    }
    return broadcast_.submit(std::move(*lease), TrackFormat::ofSound(format), format.bytes(format.maxSamples),
                             info, stop_) == Status::Ok;
}

}  // namespace verbcast::testing
