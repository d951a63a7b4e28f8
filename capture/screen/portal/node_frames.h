// The pictures of a PipeWire node as frames.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "capture/frame_source.h"
#include "capture/screen/portal/pipewire_stream.h"
#include "capture/screen/screen_pace.h"

namespace verbcast {

/// Why frames may end besides the node's end.
struct Revocation {
    int descriptor = -1;  ///< readable if `happened` may have become true
    std::function<bool()> happened;
};

/// Pictures in the producer's dma-bufs are frames where they lie, as long as the producer has buffers enough;
/// all others cost one copy into a slot of ours. A still screen costs one copy per second: the desktop sends
/// a picture only on changes. Used by one thread.
class NodeFrames {
  public:
    /// Connects to the node and waits for its format. Throws Error{Display}, Error{Usage} as ScreenPace.
    NodeFrames(const SourceOptions& options, UniqueFd remote, std::uint32_t node);

    /// Of the last frame; before the first one, what is agreed on.
    const VideoFormat& format() const { return format_; }
    /// See FrameSource::capture(). Closed: the node is gone, or the revocation has happened.
    Status capture(CapturedFrame& frame, const Event& cancel, const Revocation& revocation);
    const SourceCounters& counters() const { return counters_; }
    /// What the user should know; only grows.
    const std::vector<std::string>& notes() const { return notes_; }
    void addNote(const std::string& note);

  private:
    void takeLayout(const PictureLayout& layout);
    bool acquireSlot(const Event& cancel);
    bool takeNext(CapturedFrame& frame, const PipeWireStream::Waiting& waiting, const Event& cancel);
    bool takeLoan(CapturedFrame& frame, PipeWireStream::Loan& loan, const Event& cancel);
    bool mayKeep(const PipeWireStream::Loan& loan, const VideoFormat& format);
    bool isRepeatDue();
    void repeat(CapturedFrame& frame);
    void complete(CapturedFrame& frame, FrameLease lease, const VideoFormat& format, TimestampNs capturedAt);
    void completeCopy(CapturedFrame& frame, TimestampNs capturedAt);

    ScreenPace pace_;
    const ScreenMemoryChoice memory_;
    PipeWireStream stream_;
    const std::uint32_t slots_;
    PictureLayout layout_;
    VideoFormat copied_;               // of pictures in our slots: rows without padding
    VideoFormat format_;               // of the last frame
    std::shared_ptr<FramePool> pool_;  // made when it is needed
    FrameLease slot_;                  // for the next copy
    FrameLease last_;               // the last frame, of format_, for viewers that come while nothing changes
    std::uint32_t copiesLeft_ = 0;  // pictures to be copied since the producer ran short of buffers
    bool missed_ = false;           // a picture was taken, but not delivered
    SourceCounters counters_;
    std::vector<std::string> notes_;
};

}  // namespace verbcast
