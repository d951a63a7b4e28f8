// Takes in the frames of one stream, whatever shows them: a window, a kiosk, a display without a desktop, or
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "app/view/sound/sound_thread.h"
#include "app/view/streams/held_frames.h"
#include "core/memory/device_pool.h"
#include "core/stream/viewed_source.h"
#include "core/sync/frame_lock_stream.h"
#include "core/sync/shared_alignment.h"
#include "core/video/frame_md5.h"

namespace verbcast {

/// What the frames of a StreamIntake are for. Called on the thread of run(), except for show().
class StreamViewer {
  public:
    virtual ~StreamViewer() = default;
    /// Asked before each frame.
    virtual bool wantsMore() = 0;
    /// False: the newest frame is enough, unless all are hashed, aligned or shown together.
    virtual bool needsEvery() const = 0;
    /// For how long a picture that is neither aligned nor shown with others is to wait for its sound.
    virtual TimestampNs hold() const { return 0; }
    /// Writes or records the frame. Returns false if it is not to be shown. One that does not fit (see
    /// ReceivedFrame) has no picture to write, but is to be shown.
    virtual bool take(const ReceivedFrame& frame) = 0;
    /// An aligned frame comes on the thread of SharedAlignment::showDue().
    virtual void show(ReceivedFrame frame) = 0;
    /// No frame has come for some time. `changed`: the state, since the last call.
    virtual void onSilence(const ReceiverStatus& status, bool changed) = 0;
    /// Frames that were given to show(), but never shown because a newer one came. Thread-safe.
    virtual std::uint64_t replaced() const { return 0; }
    virtual bool wantsSound() const = 0;
    /// On a thread of its own, if the sender has sound.
    virtual void takeSound(const ArrivedSound& sound) = 0;
    /// That thread takes no more.
    virtual void endSound() {}
};

/// What else decides when frames are shown, and is heard. Must outlive the intake; null: none.
struct ShownWith {
    SharedAlignment* alignment = nullptr;
    FrameLockStream* frameLock = nullptr;  ///< while the sender says when to show; see openStream()
    SoundTaker* sound = nullptr;           ///< instead of playing it
};

/// Receives, hashes and places frames, and takes in their sound. One thread calls sums(), run(), payload(),
/// confirm(), hasSound() and finish(); the rest is thread-safe.
class StreamIntake {
  public:
    /// `slots`: size of the stream's ring. `viewer` must outlive this.
    StreamIntake(StreamViewer& viewer, std::uint32_t slots, const ShownWith& with);

    /// Call once, before run(). Before, there is no status and nothing to end.
    void open(std::unique_ptr<ViewedSource> stream);
    /// Every frame is hashed into it, if it is not null.
    std::unique_ptr<FrameMd5Writer>& sums() { return sums_; }
    /// Returns why receive() has ended, or Ok if the viewer wants no more. Throws what the stream and the
    /// viewer throw.
    Status run();
    /// The pixels of the frame that the viewer takes.
    const std::byte* payload(const ReceivedFrame& frame);
    bool confirm(const ReceivedFrame& frame) { return stream_->confirm(frame); }
    /// Whether the viewer wants sound, and the sender has some.
    bool hasSound() const { return sound_.has_value(); }
    /// No more frames come: what waits is shown, and the sound that has come is taken.
    void finish();

    /// Null before open().
    ViewedSource* stream() const;
    /// Call once a frame was received.
    void frameShown(const ReceivedFrame& frame) { stream_->frameShown(frame); }
    StreamStats stats() const;
    /// See HeldFrames.
    std::uint64_t heldShort() const { return held_.cutShort(); }
    /// Returns nullopt without an alignment.
    std::optional<StreamAlignment> alignment() const {
        return aligned_ ? std::optional(aligned_->stats()) : std::nullopt;
    }
    /// Says goodbye to the sender.
    void end();

  private:
    void noticeSound(bool over = false);
    bool taken(const ReceivedFrame& frame);
    void place(ReceivedFrame frame);
    std::chrono::nanoseconds patience() const;
    void showHeld();
    void showLastHeld();
    void noticeState();
    void tellSkipped() const;

    StreamViewer& viewer_;
    std::unique_ptr<FrameMd5Writer> sums_;
    HostPayload host_;
    const std::byte* payload_ = nullptr;  // of the current frame, once it was asked for
    FrameLockStream* const frameLock_;
    const std::uint64_t skippedBefore_;  // by frameLock_, of streams before this one
    StreamState lastState_ = StreamState::Waiting;
    HeldFrames held_;
    std::shared_ptr<const VideoFormat> heardOf_;  // of the last frame: detects a new connection
    mutable std::mutex mutex_;                    // guards stream_ until it is set, once
    std::unique_ptr<ViewedSource> stream_;
    std::optional<AlignedStream> aligned_;  // showing its frames uses the members above
    std::optional<SoundThread> sound_;      // likewise
};

}  // namespace verbcast
