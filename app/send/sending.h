// What every sending command does with its source: wait for viewers, pace, capture, submit, and report. One
// thread does all of it; the session's threads do the rest.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/stream_progress.h"
#include "app/host/pacer.h"
#include "app/send/playback_control.h"
#include "app/send/send_options.h"
#include "app/send/sending_limits.h"
#include "capture/frame_source.h"
#include "capture/input_thread.h"
#include "core/base/error.h"
#include "core/stream/broadcast.h"
#include "core/stream/stats_stream.h"
#include "core/video/change_finder.h"
#include "core/video/frame_md5.h"

namespace verbcast {

class Sending {
  public:
    /// `options` outlives this object. With options.allowInput, viewers' input goes to the source's injector.
    /// Call installInterruptHandler() before. Throws Error for addresses and files that cannot be used,
    /// Error{Usage} for a source that takes no input.
    /// One of several tells what happens on a line that they share, with its label before it, and writes no
    /// statistics: see stats().
    Sending(const SendingOptions& options, std::unique_ptr<FrameSource> source,
            SharedProgress* shared = nullptr, const std::string& label = "");

    /// Until the source, the limits, the peer or a signal end it; the exit code.
    int run();

    /// From any thread; after run() the last ones.
    StreamStats stats() const;
    /// After run().
    const std::string& exitReason() const { return exitReason_; }

  private:
    bool awaitReceiver();
    std::chrono::nanoseconds untilNextLook() const;
    bool previewing() const;
    bool previewOne();
    bool sendOne();
    void holdUntilAccepted();
    bool waitForTurn(std::uint64_t index, std::int64_t pts, Rational timeBase);
    bool paceAndCapture(CapturedFrame& frame, std::uint64_t index);
    std::string waitingText() const;
    int finish();
    void printNewNotes();
    void printDepartures();

    const SendingOptions& options_;
    const std::unique_ptr<SharedProgress> ownProgress_;  // null for one of several
    StreamProgress progress_;
    mutable std::mutex ending_;  // while sender_ gives way to lastStats_
    std::optional<StreamStats> lastStats_;
    // The source goes first: a relay's fills by itself what is free, and viewers may still read it.
    std::unique_ptr<Broadcast> sender_;
    std::unique_ptr<FrameSource> source_;
    std::unique_ptr<FrameMd5Writer> md5_;
    Policy policy_;
    std::unique_ptr<InputThread> inputThread_;  // with options.allowInput
    std::unique_ptr<StatsStream> figures_;      // with a descriptor for them
    std::unique_ptr<PlaybackControl> control_;  // with options.control
    Pacer pacer_;
    SendingLimits limits_;
    ChangeFinder changes_;
    std::uint64_t previewed_ = 0;
    const TimestampNs begunAt_ = nowNs();
    std::size_t notesPrinted_ = 0;
    bool connectedOnce_ = false;
    std::optional<Error> refusal_;    // nobody was ever there: finish() throws it when all is written
    std::string toldEnd_;             // how the last viewer left
    bool firstOfConnection_ = false;  // the next frame
    std::string exitReason_ = "end of stream";
};

}  // namespace verbcast
