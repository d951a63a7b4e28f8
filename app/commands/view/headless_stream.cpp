#include "app/commands/view/headless_stream.h"

#include <fmt/format.h>

#include <new>
#include <utility>
#include <vector>

#include "app/cli/frame_lock_words.h"
#include "app/cli/options/values.h"
#include "app/host/interrupt.h"
#include "core/base/log/log.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr const char* kInterrupted = "interrupted";
constexpr const char* kOutputClosed = "output closed";
constexpr const char* kNobodyCame = "no sender came";

}  // namespace

StreamOutputs openOutputs(const ViewOptions& options, std::uint32_t number) {
    StreamOutputs outputs;
    if (!options.output.empty()) {
        outputs.videoPath = nameOfStream(options.output, number);
        outputs.video = std::make_unique<StreamFile>(VideoFile{.path = outputs.videoPath,
                                                               .container = options.container,
                                                               .encoder = options.encoder,
                                                               .existing = options.existing,
                                                               .soundEncoder = options.soundEncoder},
                                                     interruptEvent());
    }
    if (!options.frameMd5.empty()) {
        outputs.md5 = std::make_unique<FrameMd5Writer>(nameOfStream(options.frameMd5, number));
    }
    return outputs;
}

HeadlessStream::HeadlessStream(const ViewOptions& options, std::uint32_t number,
                               const StreamProgress& progress, std::unique_ptr<ViewedSource> stream,
                               const ShownWith& with)
    : options_(options),
      number_(number),
      progress_(progress),
      intake_(*this, options.receiver.slots, with),
      frameLock_(with.frameLock) {
    intake_.open(std::move(stream));
    if (frameLock_ != nullptr) {
        display_.emplace(frameLock_->descriptor(), [this] { showDue(); });
    }
}

void HeadlessStream::showDue() {
    while (frameLock_->showUnseen([this](ReceivedFrame frame) { drawn_ = std::move(frame); })) {
        if (drawn_) {
            intake_.frameShown(*drawn_);
            drawn_.reset();
        }
    }
}

StreamOutcome HeadlessStream::run(std::optional<StreamOutputs> outputs) {
    try {
        outputs_ = outputs ? std::move(*outputs) : openOutputs(options_, number_);
        intake_.sums() = std::move(outputs_.md5);
        const Status status = intake_.run();
        if (exitReason_.empty()) {
            exitReason_ = status == Status::Cancelled ? kInterrupted : outcomeOf(this->status()).reason;
        }
        return finish();
    } catch (...) {
        intake_.end();
        const int code = progress_.error();
        if (outputs_.video) {
            outputs_.video->finishAfterFailure();
        }
        return {{std::string(errorKindName(static_cast<ErrorKind>(code))), code}, statsAtFailure()};
    }
}

/// None where not even their memory is left.
StreamStats HeadlessStream::statsAtFailure() const {
    try {
        return stats();
    } catch (const std::bad_alloc&) {
        return {};
    }
}

/// Into the file, if there is one; else only counts it.
void HeadlessStream::takeSound(const ArrivedSound& sound) {
    if (outputs_.video) {
        outputs_.video->write(sound);
    }
}

void HeadlessStream::endSound() {
    if (outputs_.video) {
        outputs_.video->endSound();
    }
}

bool HeadlessStream::wantsMore() {
    if (!exitReason_.empty()) {
        return false;
    }
    if (options_.frames && taken_ >= *options_.frames) {
        exitReason_ = "frames";
    } else if (interruptEvent().isSet()) {
        exitReason_ = kInterrupted;
    } else if (options_.duration && firstAt_ != 0 && nowNs() - firstAt_ >= options_.duration->count()) {
        exitReason_ = "duration";
    }
    return exitReason_.empty();
}

bool HeadlessStream::take(const ReceivedFrame& frame) {
    greet(frame);
    tellMisfit(frame);
    if (frame.fits() && !written(frame)) {
        return false;
    }
    ++taken_;
    showStats();
    return true;
}

/// False if the frame was not intact, or the output takes no more.
bool HeadlessStream::written(const ReceivedFrame& frame) {
    if (outputs_.video && !writeVideo(frame)) {
        return false;
    }
    const bool intact = intake_.confirm(frame);
    if (!intact && outputs_.video) {
        progress_.news("torn frame",
                       fmt::format("frame {} may be torn in {}: the sender reused its slot meanwhile",
                                   frame.info.sequence, outputs_.videoPath));
    }
    return intact;
}

bool HeadlessStream::writeVideo(const ReceivedFrame& frame) {
    StreamFile& video = *outputs_.video;
    if (taken_ == 0) {
        video.expectSound(intake_.hasSound());
    }
    const Status status = video.write(*frame.format, frame.info, intake_.payload(frame));
    printNotes();
    if (status != Status::Ok) {
        exitReason_ = status == Status::Closed ? kOutputClosed : kInterrupted;
    }
    return status == Status::Ok;
}

void HeadlessStream::printNotes() {
    for (const std::string& note : outputs_.video->takeNotes()) {
        progress_.news("video", "note: " + note);
    }
}

void HeadlessStream::showStats() {
    if (progress_.due()) {
        const ReceiverStatus status = this->status();
        progress_.statistics(stats(),
                             fmt::format("from {} over {}", status.peerName, status.channel.transport));
    }
}

void HeadlessStream::onSilence(const ReceiverStatus& status, bool) {
    if (status.state == StreamState::Lost) {
        progress_.state(fmt::format("{} ({}); trying again", firstAt_ == 0 ? "not connected" : "signal lost",
                                    status.senderReason));
        format_.reset();
        heard_ = false;
    } else if (status.state != StreamState::Streaming) {
        progress_.state(status.text);
    } else {
        greetSound();
        showStats();
    }
    if (outputs_.video && exitReason_.empty() && outputs_.video->status() == Status::Closed) {
        exitReason_ = kOutputClosed;
    }
    if (wantsMore() && givenUp()) {
        exitReason_ = kNobodyCame;
        lastSeen_ = status.senderReason.empty() ? status.text : status.senderReason;
    }
}

/// True if no sender came within the time of --wait.
bool HeadlessStream::givenUp() const {
    return options_.patience && nowNs() - begunAt_ >= options_.patience->count() && stats().connections == 0;
}

void HeadlessStream::greet(const ReceivedFrame& frame) {
    if (frame.format == format_) {
        return;
    }
    format_ = frame.format;
    tellReceiving(describe(*frame.format));
}

/// Sound comes, and no picture has yet.
void HeadlessStream::greetSound() {
    if (format_ || heard_) {
        return;
    }
    if (const StreamStats stats = this->stats(); stats.isSoundAlone()) {
        heard_ = true;
        tellReceiving("sound of " + describe(*stats.sound->format));
    }
}

void HeadlessStream::tellReceiving(const std::string& what) {
    firstAt_ = firstAt_ == 0 ? nowNs() : firstAt_;
    const ReceiverStatus status = this->status();
    progress_.news("receiving",
                   fmt::format("receiving {} from {} over {} ({}; {}; {})", what, status.channel.peer,
                               status.channel.transport, status.transportReason, status.channel.detail,
                               shortName(status.trust.protection)));
}

/// Pictures that do not fit the wall are not shown, hashed or written.
void HeadlessStream::tellMisfit(const ReceivedFrame& frame) {
    if (options_.tile && frame.region && frame.region != region_) {
        region_ = frame.region;
        const std::string text = options_.tile->fitText(*region_, intake_.stream()->misfit());
        if (!text.empty()) {
            progress_.news("misfit", "note: " + text);
        }
    }
}

StreamOutcome HeadlessStream::finish() {
    intake_.finish();
    greetSound();
    if (display_) {
        awaitShown([this] { return frameLock_->anyWaiting(); });
        display_.reset();
    }
    intake_.end();
    const StreamStats stats = this->stats();
    if (intake_.sums()) {
        intake_.sums()->finish();
    }
    if (outputs_.video) {
        if (outputs_.video->finish() == Status::Closed) {
            exitReason_ = kOutputClosed;
        }
        printNotes();
    }
    if (intake_.stream()->accepted() && stats.framesTransferred == 0 && !stats.sound) {
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
    const ReceiverStatus status = this->status();
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
        log().error("{}the sender was lost: {}", progress_.label(), this->status().senderReason);
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
    return code == 0 && exitReason_ == kInterrupted ? StreamOutcome::kByInterrupt : code;
}

}  // namespace verbcast
