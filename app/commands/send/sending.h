// What every sending command does with its source: wait for viewers, pace, capture, submit and report. One
// thread does all of it; the session's threads do the rest.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/stream_progress.h"
#include "app/commands/send/playback_control.h"
#include "app/commands/send/second_eye.h"
#include "app/commands/send/sending_limits.h"
#include "app/commands/send/sending_options.h"
#include "app/commands/send/sound_beside.h"
#include "app/host/pacer.h"
#include "capture/frame_source.h"
#include "capture/input_thread.h"
#include "core/base/error.h"
#include "core/memory/device_pool.h"
#include "core/stream/broadcast.h"
#include "core/stream/stats_stream.h"
#include "core/video/change_finder.h"
#include "core/video/frame_md5.h"

namespace verbcast {

/// What one of several streams shares with the others, and which one it is.
struct OneOfSeveral {
    SharedProgress& progress;
    StatsLabel label{};
    std::shared_ptr<StatsOutput> stats{};  ///< may be null
    int commands = -1;                     ///< from where its playback is controlled; negative: it is not

    /// "stream 2: "
    std::string prefix() const;
};

/// What is sent on further tracks, beside the source's pictures; null: nothing.
struct SentBeside {
    std::unique_ptr<SecondEye> right{};  ///< of a stereo pair, of which the source is the left
    std::unique_ptr<SoundBeside> sound{};
    std::vector<std::string> notes{};  ///< for the user
};

class Sending {
  public:
    /// `options` must outlive this. With options.sender.allowInput, viewers' input goes to the source's
    /// injector. Call installInterruptHandler() first. Throws Error for unusable addresses and files,
    /// Error{Usage} if the source accepts no input. One of several streams uses what it is given here instead
    /// of the options' descriptors, and writes no final statistics: see stats().
    Sending(const SendingOptions& options, std::unique_ptr<FrameSource> source,
            const OneOfSeveral* several = nullptr, SentBeside beside = {});

    /// Runs until the source, a limit, the peer or a signal ends it. Returns the exit code.
    int run();

    /// Thread-safe; after run() returns the final statistics.
    StreamStats stats() const;
    /// Valid after run().
    const std::string& exitReason() const { return exitReason_; }

  private:
    struct Ready {
        Status status;  // Ok, or Closed: the end
        CapturedFrame frame;
        TimestampNs since;
    };
    struct Place {
        std::int64_t pts = 0, duration = 0;  // 0: unknown, or the end
        Rational timeBase{0, 1};
    };
    void watch(std::shared_ptr<StatsOutput> stats, const std::optional<StatsLabel>& label, int commands);
    bool awaitReceiver();
    std::chrono::nanoseconds untilNextLook() const;
    bool previewing() const;
    bool previewOne();
    bool keepNewest();
    PictureChanges lookForChanges(const CapturedFrame& frame);
    bool sendOne();
    bool sendBeside(const FrameInfo& picture, Rational timeBase);
    bool sendRight(const FrameInfo& left, Rational timeBase);
    bool sendSound(const FrameInfo& picture, Rational timeBase);
    void sendRestOfSound();
    void holdUntilAccepted();
    /// TimedOut: not yet, look after other things. Cancelled: interrupted.
    Status waitForTurn(std::uint64_t index, std::int64_t pts, Rational timeBase);
    /// TimedOut: nothing yet. Otherwise, unless Ok, the stream ends for `exitReason_`.
    Status paceAndCapture(CapturedFrame& frame, std::uint64_t index);
    Status captureWhenDue(CapturedFrame& frame, std::uint64_t index);
    Status captureAhead(CapturedFrame& frame, std::uint64_t index);
    Status captureNext(CapturedFrame& frame);
    std::string waitingText() const;
    std::string contentText() const;
    void writeStatsOf(const Error& error) const;
    int finish();
    void printNewNotes();
    /// Reports the decoder in use to readers of the statistics.
    void tellDecoding();
    void printDepartures();

    const SendingOptions& options_;
    const std::unique_ptr<SharedProgress> ownProgress_;  // null if one of several streams
    StreamProgress progress_;
    mutable std::mutex ending_;  // guards the replacement of sender_ by lastStats_
    std::optional<StreamStats> lastStats_;
    // The source is destroyed first: a relay's fills its free slots itself, and viewers may still read them.
    std::unique_ptr<Broadcast> sender_;
    std::unique_ptr<FrameSource> source_;
    std::unique_ptr<SecondEye> right_;
    std::unique_ptr<SoundBeside> sound_;
    std::unique_ptr<FrameMd5Writer> md5_;
    Policy policy_;
    std::unique_ptr<InputThread> inputThread_;  // if options.sender.allowInput
    std::unique_ptr<StatsStream> stats_;        // if somebody reads them
    std::unique_ptr<PlaybackControl> control_;  // if there are commands
    Pacer pacer_;
    std::optional<Ready> ready_;  // waits until it is due
    Place last_;                  // of the source's last picture, or of its end
    bool saidPause_ = false;
    SendingLimits limits_;
    ChangeFinder changes_;
    HostPayload payload_;  // for --frame-md5
    std::uint64_t previewed_ = 0;
    std::optional<CapturedFrame> newest_;  // of those that came while no viewer was there
    const TimestampNs begunAt_ = nowNs();
    std::size_t notesPrinted_ = 0;
    bool connectedOnce_ = false;
    std::optional<Error> refusal_;    // no viewer ever came: finish() throws this after writing everything
    std::string toldEnd_;             // how the last viewer left
    bool firstOfConnection_ = false;  // applies to the next frame
    std::string exitReason_ = "end of stream";
};

}  // namespace verbcast
