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
        for (;;) {
            ReceivedFrame frame;
            const Status status = stream_.receive(frame, kLook, kSoundTrack);
            if (status == Status::TimedOut && !stop.stop_requested()) {
                continue;
            }
            if (status != Status::Ok) {
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
