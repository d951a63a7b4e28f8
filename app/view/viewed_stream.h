// A stream that is viewed, whichever side has called.
#pragma once

#include <memory>
#include <utility>

#include "core/stream/frame_receiver.h"
#include "core/stream/incoming_stream.h"

namespace verbcast {

/// Owns a FrameReceiver, or holds a stream of a StreamAcceptor.
class ViewedStream {
  public:
    /// Throws as FrameReceiver does.
    explicit ViewedStream(const ReceiverOptions& options)
        : receiver_(std::make_unique<FrameReceiver>(options)), stream_(&receiver_->stream()) {}
    explicit ViewedStream(std::shared_ptr<IncomingStream> stream)
        : accepted_(std::move(stream)), stream_(accepted_.get()) {}

    /// Its sender has called a StreamAcceptor.
    bool accepted() const { return accepted_ != nullptr; }
    IncomingStream* operator->() const { return stream_; }
    IncomingStream& stream() const { return *stream_; }

    /// From any thread: ends all waits, says goodbye to the sender, and takes no further connection.
    void end() {
        if (receiver_) {
            receiver_->cancel();
        } else {
            accepted_->cancel();
            accepted_->close();
        }
    }

  private:
    std::unique_ptr<FrameReceiver> receiver_;
    std::shared_ptr<IncomingStream> accepted_;  // shared with the acceptor; one of the two
    IncomingStream* stream_;
};

}  // namespace verbcast
