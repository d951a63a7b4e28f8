// A stream that is viewed, whoever sends it and whichever side has called.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/stream/frame_receiver.h"
#include "core/stream/receive/incoming_stream.h"

namespace verbcast {

/// What a viewer takes frames from. As FrameReceiver, whose functions these are: one thread receives, the
/// rest may be called from any.
class ViewedSource {
  public:
    virtual ~ViewedSource() = default;
    virtual Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout) = 0;
    virtual Status receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout) = 0;
    virtual bool confirm(const ReceivedFrame& frame) = 0;
    virtual void frameShown(const ReceivedFrame& frame) = 0;
    virtual bool inputAllowed() const = 0;
    virtual std::uint64_t sendInput(const InputEvent& event) = 0;
    virtual ReceiverStatus status() const = 0;
    virtual StreamStats stats() = 0;
    /// Ends all waits, says goodbye to the sender, and takes no further connection.
    virtual void end() = 0;
    /// Its sender has called a StreamAcceptor.
    virtual bool accepted() const { return false; }
    /// Why pictures that come cannot be the tile of a wall, where the frames' region alone does not tell; "".
    virtual std::string misfit() const { return {}; }
    /// Where frames have to be confirmed, who does; else null: they are ours.
    virtual IncomingStream* stream() { return nullptr; }
};

/// One sender's: owns a FrameReceiver, or holds a stream of a StreamAcceptor.
class SenderStream final : public ViewedSource {
  public:
    /// Throws as FrameReceiver does.
    explicit SenderStream(const ReceiverOptions& options)
        : receiver_(std::make_unique<FrameReceiver>(options)), stream_(&receiver_->stream()) {}
    explicit SenderStream(std::shared_ptr<IncomingStream> stream)
        : accepted_(std::move(stream)), stream_(accepted_.get()) {}

    Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout) override {
        return stream_->receive(frame, timeout);
    }
    Status receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout) override {
        return stream_->receiveNewest(frame, timeout);
    }
    bool confirm(const ReceivedFrame& frame) override { return stream_->confirm(frame); }
    void frameShown(const ReceivedFrame& frame) override { stream_->frameShown(frame); }
    bool inputAllowed() const override { return stream_->inputAllowed(); }
    std::uint64_t sendInput(const InputEvent& event) override { return stream_->sendInput(event); }
    ReceiverStatus status() const override { return stream_->status(); }
    StreamStats stats() override { return stream_->stats(); }
    void end() override {
        if (receiver_) {
            receiver_->cancel();
        } else {
            accepted_->cancel();
            accepted_->close();
        }
    }
    bool accepted() const override { return accepted_ != nullptr; }
    IncomingStream* stream() override { return stream_; }

  private:
    std::unique_ptr<FrameReceiver> receiver_;
    std::shared_ptr<IncomingStream> accepted_;  // shared with the acceptor; one of the two
    IncomingStream* stream_;
};

}  // namespace verbcast
