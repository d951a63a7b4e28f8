// A viewer's input on its way to the source, and back as a number in the frames that show its effect.
#pragma once

#include <cstdint>
#include <deque>

#include "core/session/link_feature.h"
#include "core/session/messages/input_queue.h"

namespace verbcast {

class SenderLink;

/// Ignores events of viewers that may send none: they were told so in our greeting.
class ViewerInputs final : public SourceFeature {
  public:
    /// The events of all viewers go into `queue`, which outlives this.
    ViewerInputs(SenderLink& link, InputQueue& queue);

    bool onMessage(MessageType type, ByteReader& reader) override;
    /// Input does not wait for a frame.
    bool maySleep() const override { return false; }
    /// Says which of the viewer's own events a frame shows.
    void beforeSend(FrameInfo& info) override;
    void onEnd() noexcept override;

  private:
    void take(InputMessage&& message);
    void release();

    /// An event that no frame has shown yet, by both its numbers.
    struct Pending {
        std::uint64_t serial, sequence;
    };

    SenderLink& link_;
    InputQueue& queue_;
    std::deque<Pending> pending_;
    std::uint64_t last_ = 0;   // sequence
    std::uint64_t shown_ = 0;  // sequence of the last event that a frame has shown
};

}  // namespace verbcast
