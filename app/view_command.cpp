// verbcast view --headless: takes every frame, counts it, hashes and writes it if asked, and lets it go.
#include <fmt/format.h>

#include <csignal>
#include <memory>

#include "app/commands.h"
#include "app/host_check.h"
#include "app/interrupt.h"
#include "app/progress_line.h"
#include "capture/video_writer.h"
#include "core/base/log.h"
#include "core/base/whole_file.h"
#include "core/stream/frame_receiver.h"
#include "core/video/frame_md5.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr const char* kOutputClosed = "output closed";
constexpr int kBySigpipe = 128 + SIGPIPE;

/// What is written is refused before anything is received. The list is null when not asked for.
std::unique_ptr<FrameMd5Writer> openOutputs(const ViewOptions& options) {
    checkWritable(options.statsJson);
    return options.frameMd5.empty() ? nullptr : std::make_unique<FrameMd5Writer>(options.frameMd5);
}

/// Null when not asked for.
std::unique_ptr<VideoWriter> openVideo(const ViewOptions& options) {
    return options.output.empty()
               ? nullptr
               : std::make_unique<VideoWriter>(options.output, options.container, interruptEvent());
}

class HeadlessView {
  public:
    explicit HeadlessView(const ViewOptions& options)
        : options_(options),
          progress_(options.verbosity),
          md5_(openOutputs(options)),
          output_(openVideo(options)),
          receiver_(receiverOptions(options)) {}

    int run() {
        while (takeOne()) {
        }
        return finish();
    }

  private:
    bool takeOne() {
        ReceivedFrame frame;
        switch (receiver_.receive(frame, 100ms)) {
            case Status::Ok:
                break;
            case Status::Closed:
                exitReason_ = receiver_.status().state == StreamState::Lost ? "lost" : "end of stream";
                return false;
            default:
                return idle();
        }
        greet(frame);
        if (md5_) {
            md5_->write(*frame.format, frame.info, frame.lease.data());
        }
        if (output_ && !writeVideo(frame)) {
            return false;
        }
        receiver_.frameShown(frame);
        ++taken_;
        showFigures();
        if (options_.frames && taken_ >= *options_.frames) {
            exitReason_ = "frames";
            return false;
        }
        return !ended();
    }

    bool writeVideo(const ReceivedFrame& frame) {
        const Status status = output_->write(*frame.format, frame.info, frame.lease.data());
        for (; notesPrinted_ < output_->notes().size(); ++notesPrinted_) {
            progress_.note("note: " + output_->notes()[notesPrinted_]);
        }
        if (status == Status::Ok) {
            return true;
        }
        exitReason_ = status == Status::Closed ? kOutputClosed : "interrupted";
        return false;
    }

    bool ended() {
        if (interruptEvent().isSet()) {
            exitReason_ = "interrupted";
            return true;
        }
        if (options_.duration && firstAt_ != 0 && nowNs() - firstAt_ >= options_.duration->count()) {
            exitReason_ = "duration";
            return true;
        }
        return false;
    }

    void showFigures() {
        if (progress_.due()) {
            const ReceiverStatus status = receiver_.status();
            progress_.figures(receiver_.stats(),
                              fmt::format("from {} over {}", status.peerName, status.channel.transport));
        }
    }

    bool idle() {
        const ReceiverStatus status = receiver_.status();
        if (status.state == StreamState::Lost) {
            progress_.state(fmt::format("{} ({}); trying again",
                                        firstAt_ == 0 ? "not connected" : "signal lost",
                                        status.senderReason));
            format_.reset();
        } else if (status.state != StreamState::Streaming) {
            progress_.state(status.text);
        } else {
            showFigures();
        }
        return !ended();
    }

    void greet(const ReceivedFrame& frame) {
        if (frame.format == format_) {
            return;
        }
        firstAt_ = firstAt_ == 0 ? nowNs() : firstAt_;
        format_ = frame.format;
        const ReceiverStatus status = receiver_.status();
        progress_.news("receiving",
                       fmt::format("receiving {} from {} over {} ({}; {}; {})", describe(*frame.format),
                                   status.channel.peer, status.channel.transport, status.transportReason,
                                   status.channel.detail, shortName(status.trust.protection)));
    }

    int finish() {
        receiver_.cancel();
        const StreamStats stats = receiver_.stats();
        if (md5_) {
            md5_->finish();
        }
        if (output_ && output_->finish() == Status::Closed) {
            exitReason_ = kOutputClosed;
        }
        writeStatsJson(options_.statsJson, StreamEnd::Receiver, stats, exitReason_);
        progress_.note(fmt::format("received {} ({})", summaryText(stats), exitReason_));
        if (exitReason_ == "lost") {
            log().error("the sender was lost: {}", receiver_.status().senderReason);
            return static_cast<int>(ErrorKind::Network);
        }
        if (exitReason_ == kOutputClosed) {
            return kBySigpipe;
        }
        if (output_ && stats.framesDropped > 0) {
            progress_.note(fmt::format("note: {} frames are missing in {}: send with --policy lossless",
                                       stats.framesDropped, options_.output));
        }
        if (stats.framesLost > 0) {
            log().error("{} frames of a lossless stream were lost over a reconnection", stats.framesLost);
        }
        if (stats.framesCorrupt > 0 || stats.framesLost > 0) {
            return static_cast<int>(ErrorKind::Corrupt);
        }
        return exitReason_ == "interrupted" ? 130 : 0;
    }

    const ViewOptions& options_;
    ProgressLine progress_;
    std::unique_ptr<FrameMd5Writer> md5_;
    std::unique_ptr<VideoWriter> output_;
    std::size_t notesPrinted_ = 0;
    FrameReceiver receiver_;
    std::shared_ptr<const VideoFormat> format_;  // shared with the frames: tells a change of format
    std::uint64_t taken_ = 0;
    TimestampNs firstAt_ = 0;
    std::string exitReason_ = "end of stream";
};

}  // namespace

int runHeadlessView(const ViewOptions& options) {
    checkHostExists(options);
    installInterruptHandler();
    const int code = HeadlessView(options).run();
    if (code == kBySigpipe) {
        // The sender has heard our goodbye: now the end that a pipe's writer has when its reader is gone.
        ::signal(SIGPIPE, SIG_DFL);
        ::raise(SIGPIPE);
    }
    return code;
}

}  // namespace verbcast
