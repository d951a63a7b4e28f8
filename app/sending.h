// What every sending command does with its source: wait for viewers, pace, capture, submit, and tell how it
// goes. One thread does all of it; the session's threads do the rest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "app/pacer.h"
#include "app/progress_line.h"
#include "capture/frame_source.h"
#include "capture/input_thread.h"
#include "core/stream/broadcast.h"
#include "core/stream/stats_stream.h"
#include "core/video/frame_md5.h"

namespace verbcast {

class Sending {
  public:
    /// `options` outlives this object. With options.allowInput, viewers' input goes to the source's injector.
    /// Call installInterruptHandler() before. Throws Error for addresses and files that cannot be used,
    /// Error{Usage} for input that nobody takes.
    Sending(const SendingOptions& options, std::unique_ptr<FrameSource> source);

    /// Until the source, the limits, the peer or a signal end it; the exit code.
    int run();

  private:
    bool awaitReceiver();
    bool previewing() const;
    bool previewOne();
    bool sendOne();
    bool waitForTurn(std::uint64_t index, std::int64_t pts, Rational timeBase);
    bool paceAndCapture(CapturedFrame& frame, std::uint64_t index);
    bool limitReached(const CapturedFrame& next) const;
    std::string waitingText() const;
    std::string receiversText() const;
    int finish();
    void printNewNotes();
    void printDepartures();

    const SendingOptions& options_;
    ProgressLine progress_;
    std::unique_ptr<FrameSource> source_;
    std::unique_ptr<FrameMd5Writer> md5_;
    Policy policy_;
    std::unique_ptr<Broadcast> sender_;
    std::unique_ptr<InputThread> inputThread_;  // with options.allowInput
    std::unique_ptr<StatsStream> figures_;      // with a descriptor for them
    Pacer pacer_;
    std::uint64_t submitted_ = 0;
    std::uint64_t previewed_ = 0;
    TimestampNs firstAt_ = 0;
    TimestampNs waitedNs_ = 0;  // since then, for a viewer
    std::size_t notesPrinted_ = 0;
    bool connectedOnce_ = false;
    std::string exitReason_ = "end of stream";
};

}  // namespace verbcast
