// A FrameAlignment shared by the receiving threads and the one that shows.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "core/sync/frame_alignment.h"
#include "core/transport/epoll_set.h"

namespace verbcast {

/// Any thread may put frames; one thread shows them.
class SharedAlignment {
  public:
    /// Receives a due frame on the thread of showDue().
    using Show = std::function<void(ReceivedFrame)>;

    /// Throws Error{Resource} if no timer can be created.
    explicit SharedAlignment(const AlignmentOptions& options) : alignment_(options) {}

    /// Readable when a frame is due, with nanosecond precision, until showDue().
    int descriptor() const { return timer_.descriptor(); }
    /// Passes each stream's due frames to its Show.
    void showDue();
    bool anyWaiting() const;

    AlignmentStats stats() const;

  private:
    friend class AlignedStream;
    FrameAlignment::StreamId add(std::uint32_t slots, Show show);
    void remove(FrameAlignment::StreamId id);
    void setTimer();

    std::mutex showing_;                              // held while frames are passed on; taken before mutex_
    std::map<FrameAlignment::StreamId, Show> shows_;  // guarded by showing_
    mutable std::mutex mutex_;                        // guards the members below
    Timer timer_{"aligning streams"};
    FrameAlignment alignment_;
};

/// One stream of a SharedAlignment.
class AlignedStream {
  public:
    /// `slots`: size of the stream's ring; four of them stay free. `alignment` must outlive this.
    AlignedStream(SharedAlignment& alignment, std::uint32_t slots, SharedAlignment::Show show);
    /// Afterwards its Show is no longer called.
    ~AlignedStream();
    AlignedStream(const AlignedStream&) = delete;
    AlignedStream& operator=(const AlignedStream&) = delete;

    void put(ReceivedFrame frame);
    /// See FrameAlignment.
    void expectNone();
    std::uint64_t skipped() const;
    StreamAlignment stats() const;

  private:
    SharedAlignment& alignment_;
    const FrameAlignment::StreamId id_;
};

}  // namespace verbcast
