#include "app/commands/view/headless_stream.h"

#include <fmt/format.h>

#include <utility>

#include "app/cli/frame_lock_words.h"
#include "app/cli/options/values.h"
#include "app/host/interrupt.h"
#include "core/base/log/log.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr const char* kOutputClosed = "output closed";
constexpr const char* kNobodyCame = "no sender came";

}  // namespace

StreamOutputs openOutputs(const ViewOptions& options, std::uint32_t number) {
    StreamOutputs outputs;
    if (!options.output.empty()) {
        outputs.videoPath = nameOfStream(options.output, number);
        outputs.video =
            openSink(VideoFile{outputs.videoPath, options.container, options.encoder, options.existing},
                     interruptEvent());
    }
    if (!options.frameMd5.empty()) {
        outputs.md5 = std::make_unique<FrameMd5Writer>(nameOfStream(options.frameMd5, number));
    }
    return outputs;
}

HeadlessStream::HeadlessStream(const ViewOptions& options, const StreamProgress& progress,
                               std::unique_ptr<ViewedSource> stream, SharedAlignment* alignment)
    : options_(options), progress_(progress), stream_(std::move(stream)) {
    if (alignment != nullptr) {
        aligned_.emplace(*alignment, options.receiver.slots,
                         [this](const ReceivedFrame& frame) { stream_->frameShown(frame); });
    }
}

StreamStats HeadlessStream::stats() const {
    tellSkipped();
    StreamStats stats = stream_->stats();
    if (frameLock_ != nullptr) {
        stats.frameLock = frameLock_->stats();
    }
    return stats;
}

/// Frames that are never shown because newer ones have come: the sender is to know, too.
void HeadlessStream::tellSkipped() const {
    stream_->setSkipped((aligned_ ? aligned_->skipped() : 0) +
                        (frameLock_ != nullptr ? frameLock_->skipped() : 0));
}

StreamOutcome HeadlessStream::run(StreamOutputs outputs) {
    outputs_ = std::move(outputs);
    while (takeOne()) {
    }
    return finish();
}

StreamOutcome HeadlessStream::failed() {
    stream_->end();
    const int code = progress_.error();
    return {{std::string(errorKindName(static_cast<ErrorKind>(code))), code}, stats()};
}

bool HeadlessStream::takeOne() {
    ReceivedFrame frame;
    switch (stream_->receive(frame, 100ms)) {
        case Status::Ok:
            break;
        case Status::Closed:
            exitReason_ = outcomeOf(stream_->status()).reason;
            return false;
        case Status::Cancelled:
            exitReason_ = "interrupted";
            return false;
        default:
            return idle();
    }
    greet(frame);
    if (!fitsTile(frame)) {
        if (frameLock_ != nullptr) {
            frameLock_->put(std::move(frame));  // the other displays wait for this one
        }
        return tookOne();
    }
    const std::byte* const payload =
        outputs_.md5 || outputs_.video ? payload_.of(frame.lease, frame.format->payloadBytes) : nullptr;
    const std::string sum = outputs_.md5 ? frameMd5(*frame.format, payload) : "";
    if (outputs_.video && !writeVideo(frame, payload)) {
        return false;
    }
    if (!stream_->confirm(frame)) {
        if (outputs_.video) {
            progress_.news("torn frame",
                           fmt::format("frame {} may be torn in {}: the sender reused its slot meanwhile",
                                       frame.info.sequence, outputs_.videoPath));
        }
        return !ended();
    }
    if (outputs_.md5) {
        outputs_.md5->write(*frame.format, frame.info, sum);
    }
    if (aligned_) {
        aligned_->put(std::move(frame));
    } else if (frameLock_ != nullptr) {
        frameLock_->put(std::move(frame));
    } else {
        stream_->frameShown(frame);
    }
    return tookOne();
}

/// Whether to go on.
bool HeadlessStream::tookOne() {
    ++taken_;
    tellSkipped();
    showStats();
    if (options_.frames && taken_ >= *options_.frames) {
        exitReason_ = "frames";
        return false;
    }
    return !ended();
}

bool HeadlessStream::writeVideo(const ReceivedFrame& frame, const std::byte* payload) {
    FrameSink& video = *outputs_.video;
    const Status status = video.write(*frame.format, frame.info, payload);
    for (; notesPrinted_ < video.notes().size(); ++notesPrinted_) {
        progress_.news("video", "note: " + video.notes()[notesPrinted_]);
    }
    if (status == Status::Ok) {
        return true;
    }
    exitReason_ = status == Status::Closed ? kOutputClosed : "interrupted";
    return false;
}

bool HeadlessStream::ended() {
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

void HeadlessStream::showStats() {
    if (progress_.due()) {
        const ReceiverStatus status = stream_->status();
        progress_.statistics(stream_->stats(),
                             fmt::format("from {} over {}", status.peerName, status.channel.transport));
    }
}

bool HeadlessStream::idle() {
    const ReceiverStatus status = stream_->status();
    if (status.state == StreamState::Lost) {
        progress_.state(fmt::format("{} ({}); trying again", firstAt_ == 0 ? "not connected" : "signal lost",
                                    status.senderReason));
        format_.reset();
        if (aligned_) {
            aligned_->expectNone();
        }
    } else if (status.state != StreamState::Streaming) {
        progress_.state(status.text);
    } else {
        showStats();
    }
    return !ended() && !givenUp(status);
}

/// True if no sender came within the time of --wait.
bool HeadlessStream::givenUp(const ReceiverStatus& status) {
    if (!options_.patience || nowNs() - begunAt_ < options_.patience->count() ||
        stream_->stats().connections > 0) {
        return false;
    }
    exitReason_ = kNobodyCame;
    lastSeen_ = status.senderReason.empty() ? status.text : status.senderReason;
    return true;
}

void HeadlessStream::greet(const ReceivedFrame& frame) {
    if (frame.format == format_) {
        return;
    }
    firstAt_ = firstAt_ == 0 ? nowNs() : firstAt_;
    format_ = frame.format;
    const ReceiverStatus status = stream_->status();
    progress_.news("receiving",
                   fmt::format("receiving {} from {} over {} ({}; {}; {})", describe(*frame.format),
                               status.channel.peer, status.channel.transport, status.transportReason,
                               status.channel.detail, shortName(status.trust.protection)));
}

/// False for pictures that do not fit the wall: they are not shown, hashed or written.
bool HeadlessStream::fitsTile(const ReceivedFrame& frame) {
    if (options_.tile && frame.region && frame.region != region_) {
        region_ = frame.region;
        if (const std::string text = options_.tile->fitText(*region_, stream_->misfit()); !text.empty()) {
            progress_.news("misfit", "note: " + text);
        }
    }
    return frame.fits();
}

StreamOutcome HeadlessStream::finish() {
    if (aligned_) {
        aligned_->expectNone();
    }
    presentTheRest();
    stream_->end();
    const StreamStats stats = this->stats();
    if (outputs_.md5) {
        outputs_.md5->finish();
    }
    if (outputs_.video && outputs_.video->finish() == Status::Closed) {
        exitReason_ = kOutputClosed;
    }
    if (stream_->accepted() && stats.framesTransferred == 0) {
        return {};
    }
    progress_.note(fmt::format("received {} ({})", summaryText(stats), wordsOfEnd()));
    for (const std::string& line : railLines(stats.rails, true)) {
        progress_.note(line);
    }
    if (stats.frameLock) {
        for (const std::string& line : frameLockLines(*stats.frameLock)) {
            progress_.note(line);
        }
    }
    const int code = judge(stats);
    return {{exitReason_, code}, stats};
}

/// With the sender's own words, if they say more.
std::string HeadlessStream::wordsOfEnd() const {
    const ReceiverStatus status = stream_->status();
    const bool more = status.state == StreamState::Ended && exitReason_ == "end of stream" &&
                      !status.senderReason.empty() && status.senderReason != exitReason_;
    return more ? fmt::format("{}: {}", exitReason_, status.senderReason) : exitReason_;
}

/// Returns the exit code and prints what there is to say about it.
int HeadlessStream::judge(const StreamStats& stats) {
    if (exitReason_ == kNobodyCame) {
        log().error("{}no sender connected within {:g} s (--wait): {}", progress_.label(),
                    std::chrono::duration<double>(*options_.patience).count(), lastSeen_);
        return static_cast<int>(ErrorKind::Network);
    }
    if (exitReason_ == "lost") {
        log().error("{}the sender was lost: {}", progress_.label(), stream_->status().senderReason);
        return static_cast<int>(ErrorKind::Network);
    }
    if (exitReason_ == kOutputClosed) {
        return StreamOutcome::kBySigpipe;
    }
    if (outputs_.video && stats.framesDropped > 0) {
        progress_.note(fmt::format("note: {} missing in {}: send with --policy lossless",
                                   counted(stats.framesDropped, "frame is", "frames are"),
                                   outputs_.videoPath));
    }
    if (stats.framesLost > 0) {
        log().error(
            "{}{} lost over a reconnection", progress_.label(),
            counted(stats.framesLost, "frame of a lossless stream was", "frames of a lossless stream were"));
    }
    const int code = codeOfFrames(stats);
    return code == 0 && exitReason_ == "interrupted" ? StreamOutcome::kByInterrupt : code;
}

}  // namespace verbcast
