// One stream that is received without a window.
#pragma once

#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/stream_progress.h"
#include "app/commands/view/unseen_display.h"
#include "app/view/recording/stream_file.h"
#include "app/view/streams/stream_intake.h"
#include "app/view/streams/view_outcome.h"
#include "app/view/view_options.h"
#include "core/video/frame_md5.h"

namespace verbcast {

/// Additional outputs for the frames; null: none.
struct StreamOutputs {
    std::unique_ptr<FrameMd5Writer> md5;
    std::unique_ptr<StreamFile> video;
    std::string videoPath;
};

/// Opens the outputs of the stream with that number; 0: the only stream, whose file names have no number.
/// Throws Error{Usage} if one cannot be written.
StreamOutputs openOutputs(const ViewOptions& options, std::uint32_t number);

/// How a stream ended; without a reason: the sender called but sent nothing.
struct StreamOutcome : ViewOutcome {
    /// Shell exit codes: interrupted, and writing to a pipe that nobody reads.
    static constexpr int kByInterrupt = 128 + SIGINT, kBySigpipe = 128 + SIGPIPE;

    StreamStats stats{};
};

/// Takes, counts and releases every frame; hashes and writes it if asked. The options' limits on frames, time
/// and losses apply to each stream.
class HeadlessStream final : private StreamViewer {
  public:
    /// `number`: see openOutputs().
    HeadlessStream(const ViewOptions& options, std::uint32_t number, const StreamProgress& progress,
                   std::unique_ptr<ViewedSource> stream, const ShownWith& with);

    /// Opens the outputs, unless they are given. Returns when the stream has ended, also by an error, which
    /// is reported, or interruptEvent() is set. Call once.
    StreamOutcome run(std::optional<StreamOutputs> outputs);
    // Thread-safe:
    StreamStats stats() const { return intake_.stats(); }
    std::optional<StreamAlignment> alignment() const { return intake_.alignment(); }
    ReceiverStatus status() const { return intake_.stream()->status(); }
    void end() { intake_.end(); }

  private:
    bool wantsMore() override;
    bool needsEvery() const override { return true; }
    bool take(const ReceivedFrame& frame) override;
    void show(ReceivedFrame frame) override { intake_.frameShown(frame); }
    void onSilence(const ReceiverStatus& status, bool changed) override;
    bool wantsSound() const override { return options_.wantsSound(); }
    void takeSound(const ArrivedSound& sound) override;
    void endSound() override;

    bool written(const ReceivedFrame& frame);
    bool writeVideo(const ReceivedFrame& frame);
    void printNotes();
    void showStats();
    void showDue();
    bool givenUp() const;
    void greet(const ReceivedFrame& frame);
    void greetSound();
    void tellReceiving(const std::string& what);
    void tellMisfit(const ReceivedFrame& frame);
    StreamStats statsAtFailure() const;
    StreamOutcome finish();
    std::string wordsOfEnd() const;
    int judge(const StreamStats& stats);

    const ViewOptions& options_;
    const std::uint32_t number_;
    StreamProgress progress_;
    StreamOutputs outputs_;
    std::shared_ptr<const VideoFormat> format_;    // shared with the frames: detects a change of format
    std::shared_ptr<const PictureRegion> region_;  // likewise for the region
    bool heard_ = false;                           // of the connection, sound before any picture
    std::uint64_t taken_ = 0;
    const TimestampNs begunAt_ = nowNs();
    TimestampNs firstAt_ = 0;
    std::string lastSeen_;
    std::string exitReason_;  // empty: it goes on
    StreamIntake intake_;
    FrameLockStream* const frameLock_;
    std::optional<ReceivedFrame> drawn_;    // locked, and not due yet; belongs to the thread of display_
    std::optional<UnseenDisplay> display_;  // of frameLock_
};

}  // namespace verbcast
