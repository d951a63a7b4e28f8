#include "app/view/sound/sound_thread.h"

#include <utility>

#include "core/base/log/log.h"

namespace verbcast {
namespace {

/// How soon it ends when it is told to, at a stream that goes on.
constexpr std::chrono::milliseconds kLook{50};

}  // namespace

SoundThread::SoundThread(IncomingStream& stream, Take take, std::function<void()> ended)
    : stream_(stream),
      take_(std::move(take)),
      ended_(std::move(ended)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void SoundThread::run(const std::stop_token& stop) {
    try {
        std::uint64_t next = 0;
        TimestampNs toldAt = 0;  // to end
        for (;;) {
            if (toldAt == 0 && stop.stop_requested()) {
                toldAt = nowNs();
            }
            ReceivedFrame frame;
            const Status status =
                stream_.receive(frame, toldAt == 0 ? kLook : std::chrono::milliseconds(0), kSoundTrack);
            if (status == Status::TimedOut && toldAt == 0) {
                continue;
            }
            const bool late = toldAt != 0 && frame.arrivedAt > toldAt && !stream_.over();
            if (status != Status::Ok || late) {
                break;
            }
            const std::uint64_t sequence = frame.info.sequence;
            take_({frame,
                   *frame.sound,
                   {frame.lease.data(), frame.info.payloadBytes},
                   std::exchange(next, sequence + 1) == sequence});
        }
    } catch (const std::exception& error) {
        log(LogCategory::Stream).error("no more sound: {}", error.what());
    }
    ended_();
}

}  // namespace verbcast
