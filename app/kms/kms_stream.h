// The stream of one screen: received off the drawing thread, over and over again.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/view/kiosk_words.h"
#include "app/view/streams/receiver_thread.h"
#include "app/view/together_stream.h"
#include "app/view/view_options.h"

namespace verbcast {

/// As in a kiosk's window: a failure is told and tried again, forever. Belongs to the drawing thread, which
/// never waits for the network here, but for the end in the destructor.
class KmsStream {
  public:
    /// `options` outlive this. Receives from the first open() on.
    KmsStream(const ViewOptions& options, const StreamPeer& peer, const std::string& label);

    void open();
    /// Readable when follow() has something to do.
    int descriptor() const { return receiver_ ? receiver_->wakeDescriptor() : -1; }
    /// Null: frames are shown as they come.
    TogetherStream* together() { return together_.get(); }
    /// To be called when the descriptor is readable, and a few times a second.
    void follow();

    /// Frames come.
    bool streams() const;
    std::optional<ReceivedFrame> nextFrame();
    /// See FrameReceiver.
    bool confirm(const ReceivedFrame& frame) { return receiver_->mailbox().confirm(frame); }
    void shown(const ReceivedFrame& frame);
    /// So far, over all attempts.
    std::uint64_t framesShown() const { return shown_; }
    /// Another one since the last call: its frames do not follow those before.
    bool isNew() { return std::exchange(isNew_, false); }

    /// With --once: how the stream has ended.
    struct End {
        std::string reason;
        int exitCode = 0;
    };
    const std::optional<End>& ended() const { return ended_; }
    /// Nothing more is received.
    void close();
    StreamStats stats() const { return receiver_ ? receiver_->stats() : StreamStats{}; }
    KioskWords& words() { return words_; }

  private:
    void finish();
    void fail(const std::exception_ptr& failure);

    const ViewOptions& options_;
    StreamPeer peer_;
    KioskWords words_;
    std::unique_ptr<TogetherStream> together_;  // null: none
    std::unique_ptr<ReceiverThread> receiver_;
    std::shared_ptr<const PictureRegion> region_;  // shared with the frames: tells a change
    std::optional<End> ended_;
    std::optional<TimestampNs> retryAt_;
    std::uint64_t shown_ = 0;
    bool finishHandled_ = false;
    bool isNew_ = false;
};

}  // namespace verbcast
