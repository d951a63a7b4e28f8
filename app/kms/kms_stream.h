// The stream of one screen: received off the drawing thread, with retries.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/view/streams/receiver_thread.h"
#include "app/view/streams/view_outcome.h"
#include "app/view/view_options.h"
#include "app/view/words/kiosk_words.h"
#include "core/sync/frame_lock_stream.h"

namespace verbcast {

/// As in a kiosk's window, failures are reported and retried forever. Belongs to the drawing thread, which
/// waits for the network only in close() and the destructor.
class KmsStream {
  public:
    /// `options` must outlive this. Receives from the first open() on.
    KmsStream(const ViewOptions& options, const StreamPeer& peer, const std::string& label);

    void open();
    /// Readable if follow() has work.
    int descriptor() const { return receiver_ ? receiver_->wakeDescriptor() : -1; }
    /// Null: frames are shown as they come.
    FrameLockStream* frameLock() { return frameLock_.get(); }
    /// Call when the descriptor is readable, and a few times a second.
    void follow();

    /// True while frames come.
    bool streams() const;
    std::optional<ReceivedFrame> nextFrame();
    /// See FrameReceiver.
    bool confirm(const ReceivedFrame& frame) { return receiver_->mailbox().confirm(frame); }
    void shown(const ReceivedFrame& frame);
    /// In total, over all attempts.
    std::uint64_t framesShown() const { return shown_; }
    /// True if the stream is a new one since the last call: its frames do not follow the earlier ones.
    bool isNew() { return std::exchange(isNew_, false); }

    /// With --once: how the stream ended.
    const std::optional<ViewOutcome>& ended() const { return ended_; }
    /// Stops receiving.
    void close();
    StreamStats stats() const { return receiver_ ? receiver_->stats() : StreamStats{}; }
    KioskWords& words() { return words_; }

  private:
    const ViewOptions& options_;
    StreamPeer peer_;
    KioskWords words_;
    std::unique_ptr<FrameLockStream> frameLock_;  // null: none
    std::unique_ptr<ReceiverThread> receiver_;
    std::shared_ptr<const PictureRegion> region_;  // shared with the frames: detects a change
    std::optional<ViewOutcome> ended_;
    std::uint64_t shown_ = 0;
    bool isNew_ = false;
};

}  // namespace verbcast
