// A stream as its consumer sees it, from any sender, no matter which side connected.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/stream/frame_receiver.h"
#include "core/stream/incoming_stream.h"

namespace verbcast {

/// Where a consumer takes frames from. Functions are those of FrameReceiver: one thread receives; the rest is
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
    /// Why the pictures do not fit the part that is wanted, if the frames' region alone does not tell; else
    /// "".
    virtual std::string misfit() const { return {}; }
    /// The stream that confirms frames, or null if frames need no confirmation.
    virtual IncomingStream* stream() { return nullptr; }
    /// The stream whose sound belongs to these pictures; null: none, or it is another source's.
    virtual IncomingStream* soundStream() { return nullptr; }
};

/// A single sender's stream, or a track of it.
class SenderStream final : public ViewedSource {
  public:
    /// Throws as FrameReceiver does.
    explicit SenderStream(const ReceiverOptions& options)
        : SenderStream(std::make_shared<FrameReceiver>(options)) {}
    explicit SenderStream(std::shared_ptr<FrameReceiver> receiver, TrackId track = kMainTrack)
        : stream_(std::move(receiver)), track_(track) {}
    /// Of a StreamAcceptor.
    explicit SenderStream(std::shared_ptr<IncomingStream> stream)
        : stream_(std::move(stream)), accepted_(true) {}

    Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout) override {
        return stream_->receive(frame, timeout, track_);
    }
    Status receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout) override {
        return stream_->receiveNewest(frame, timeout, track_);
    }
    bool confirm(const ReceivedFrame& frame) override { return stream_->confirm(frame); }
    void frameShown(const ReceivedFrame& frame) override { stream_->frameShown(frame); }
    void setSkipped(std::uint64_t frames) override { stream_->setSkipped(frames, track_); }
    bool inputAllowed() const override { return stream_->inputAllowed(); }
    std::uint64_t sendInput(const InputEvent& event) override { return stream_->sendInput(event); }
    ReceiverStatus status() const override { return stream_->status(); }
    StreamStats stats() override { return stream_->stats(track_); }
    void end() override {
        if (stream_->over() && !accepted_) {
            return;  // who views another track of it may still have frames to take
        }
        stream_->cancel();
        if (accepted_) {
            stream_->close();
        }
    }
    bool accepted() const override { return accepted_; }
    IncomingStream* stream() override { return stream_.get(); }
    IncomingStream* soundStream() override { return track_ == kMainTrack ? stream_.get() : nullptr; }

  private:
    const std::shared_ptr<IncomingStream> stream_;  // shared with its acceptor, or with other tracks
    const TrackId track_ = kMainTrack;
    const bool accepted_ = false;
};

}  // namespace verbcast
