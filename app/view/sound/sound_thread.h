// The thread that takes the sound of a stream.
#pragma once

#include <functional>
#include <thread>

#include "core/stream/incoming_stream.h"

namespace verbcast {

/// A block of sound as it arrived.
struct ArrivedSound {
    const ReceivedFrame& frame;
    const SoundFormat& format;
    std::span<const std::byte> planar;
    bool follows = false;  ///< no block was lost before it
};

/// Whoever takes a stream's sound instead of playing it.
class SoundTaker {
  public:
    virtual ~SoundTaker() = default;
    /// On the thread that receives it.
    virtual void take(const ArrivedSound& sound) = 0;
};

/// Takes blocks until the stream is over or cancelled; or, while it goes on, those that have come before the
/// destructor.
class SoundThread {
  public:
    using Take = std::function<void(const ArrivedSound& sound)>;

    /// `stream` wants kSoundTrack and must outlive this. `take` is called on the thread; what it throws ends
    /// the thread and is logged. `ended`, too, when no more will come.
    SoundThread(IncomingStream& stream, Take take, std::function<void()> ended);

  private:
    void run(const std::stop_token& stop);

    IncomingStream& stream_;
    const Take take_;
    const std::function<void()> ended_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
