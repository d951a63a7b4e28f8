// A FrameAlignment between the threads that receive and the one that shows.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/stream/frame_alignment.h"

namespace verbcast {

/// Any thread puts frames; one shows them.
class SharedAlignment {
  public:
    /// Takes a frame that is due, in the thread of showDue().
    using Show = std::function<void(ReceivedFrame)>;

    /// Throws Error{Internal} without a timer.
    explicit SharedAlignment(const AlignmentOptions& options);

    /// Readable when a frame is due, to the nanosecond; until showDue().
    int descriptor() const { return timer_.get(); }
    /// Gives what is due, each stream's frame to its Show.
    void showDue();
    bool anyWaiting() const;

    AlignmentStats stats() const;

  private:
    friend class AlignedStream;
    FrameAlignment::StreamId add(std::uint32_t slots, Show show);
    void remove(FrameAlignment::StreamId id);
    void setTimer();

    UniqueFd timer_;
    std::mutex showing_;                              // held while frames are given; taken before mutex_
    std::map<FrameAlignment::StreamId, Show> shows_;  // guarded by showing_
    mutable std::mutex mutex_;                        // guards what follows
    FrameAlignment alignment_;
    std::optional<TimestampNs> timerSet_;
};

/// A stream's place among those that are aligned.
class AlignedStream {
  public:
    /// `slots`: those of the stream's ring; four of them stay free. `alignment` outlives this.
    AlignedStream(SharedAlignment& alignment, std::uint32_t slots, SharedAlignment::Show show);
    /// Its Show is not called any more.
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
