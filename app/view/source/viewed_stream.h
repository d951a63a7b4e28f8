// A stream to view, from any sender, no matter which side connected.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/stream/frame_receiver.h"
#include "core/stream/incoming_stream.h"

namespace verbcast {

/// Where a viewer takes frames from. Functions are those of FrameReceiver: one thread receives; the rest is
/// thread-safe.
class ViewedSource {
  public:
    virtual ~ViewedSource() = default;
    virtual Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout) = 0;
    virtual Status receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout) = 0;
    virtual bool confirm(const ReceivedFrame& frame) = 0;
    virtual void frameShown(const ReceivedFrame& frame) = 0;
    virtual void setSkipped(std::uint64_t frames) = 0;
    virtual bool inputAllowed() const = 0;
    virtual std::uint64_t sendInput(const InputEvent& event) = 0;
    virtual ReceiverStatus status() const = 0;
    virtual StreamStats stats() = 0;
    /// Ends all waits, says goodbye to the sender and accepts no further connection.
    virtual void end() = 0;
    /// True if the sender called a StreamAcceptor.
    virtual bool accepted() const { return false; }
    /// Why the pictures do not fit the tile of a wall, if the frames' region alone does not tell; else "".
    virtual std::string misfit() const { return {}; }
    /// The stream that confirms frames, or null if frames need no confirmation.
    virtual IncomingStream* stream() { return nullptr; }
};

/// A single sender's stream: owns a FrameReceiver, or holds a stream of a StreamAcceptor.
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
    void setSkipped(std::uint64_t frames) override { stream_->setSkipped(frames); }
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
    std::shared_ptr<IncomingStream> accepted_;  // shared with the acceptor; null if receiver_ is set
    IncomingStream* stream_;
};

}  // namespace verbcast
