#include "app/window/picture/viewer_controller.h"

#include <QSocketNotifier>
#include <algorithm>
#include <chrono>

#include "core/base/log.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// How long the reader of a piped recording is waited for once the stream has ended.
constexpr auto kReaderPatience = 5s;
// The same when the user ends it, and waits for the window to go.
constexpr auto kReaderPatienceAtClose = 2s;

}  // namespace

ViewerController::ViewerController(const ViewOptions& options) : options_(options) {
    duration_.setSingleShot(true);
    duration_.setTimerType(Qt::PreciseTimer);
    connect(&duration_, &QTimer::timeout, this, [this] { end("duration", 0); });
    if (!options.output.empty()) {
        startRecorder();
    }
    if (options.alignment.by != AlignBy::Newest) {
        startAlignment();
    }
    for (const StreamPeer& peer : options.peers) {
        feeds_.push_back(std::make_unique<StreamFeed>(options_, peer, recorder_.get(), alignment_.get()));
        connect(feeds_.back().get(), &StreamFeed::over, this,
                [this, feed = feeds_.back().get()] { onOver(*feed); });
    }
}

ViewerController::~ViewerController() = default;

void ViewerController::open() {
    reopen();
    for (const auto& feed : feeds_) {
        feed->waitUntilOpen();
    }
    if (options_.patience) {
        QTimer::singleShot(std::chrono::ceil<std::chrono::milliseconds>(*options_.patience), this,
                           &ViewerController::onPatienceOver);
    }
}

void ViewerController::reopen() {
    for (const auto& feed : feeds_) {
        feed->reopen();
    }
}

void ViewerController::onPatienceOver() {
    const bool nobody = std::all_of(feeds_.begin(), feeds_.end(),
                                    [](const auto& feed) { return feed->stats().connections == 0; });
    if (nobody) {
        log().error("no sender has come in {:g} s (--wait)",
                    std::chrono::duration<double>(*options_.patience).count());
        end("no sender came", static_cast<int>(ErrorKind::Network));
    }
}

void ViewerController::startAlignment() {
    alignment_ = std::make_unique<SharedAlignment>(options_.alignment);
    aligned_ = std::make_unique<QSocketNotifier>(alignment_->descriptor(), QSocketNotifier::Read);
    connect(aligned_.get(), &QSocketNotifier::activated, this, [this] {
        alignment_->showDue();
        Q_EMIT alignedFramesWaiting();
    });
}

void ViewerController::startRecorder() {
    recorder_ = std::make_unique<Recorder>(RecorderOptions{.path = options_.output,
                                                           .container = options_.container,
                                                           .slots = options_.slots,
                                                           .frames = options_.frames});
    recorderEnded_ =
        std::make_unique<QSocketNotifier>(recorder_->ended().descriptor(), QSocketNotifier::Read);
    connect(recorderEnded_.get(), &QSocketNotifier::activated, this, [this] {
        recorderEnded_->setEnabled(false);
        if (recorder_->status().complete) {
            end("frames", 0);
        } else {
            Q_EMIT recordingFailed();
            endAfterFrames();
        }
    });
}

std::optional<RecordingStatus> ViewerController::recording() const {
    return recorder_ ? std::optional(recorder_->status()) : std::nullopt;
}

const Recorder* ViewerController::finishRecording() {
    if (!recorder_) {
        return nullptr;
    }
    for (const auto& feed : feeds_) {
        feed->close();
    }
    const bool byUser = outcome_ && (outcome_->reason == "interrupted" || outcome_->reason == "closed");
    recorder_->finish(byUser ? kReaderPatienceAtClose : kReaderPatience);
    return recorder_.get();
}

/// Of several streams the others go on; when all are over, the first that went wrong says how. Where nobody
/// asked to end with the stream, a failure stays on display.
void ViewerController::onOver(const StreamFeed& feed) {
    const auto isOver = [](const auto& each) { return each->outcome().has_value(); };
    if ((feed.failure() && !options_.once) || !std::all_of(feeds_.begin(), feeds_.end(), isOver)) {
        return;
    }
    const auto wrong = std::find_if(feeds_.begin(), feeds_.end(),
                                    [](const auto& each) { return each->outcome()->exitCode != 0; });
    const ViewOutcome& outcome = *(wrong != feeds_.end() ? *wrong : feeds_.front())->outcome();
    end(outcome.reason, outcome.exitCode);
}

void ViewerController::frameShown(const ReceivedFrame& frame, std::size_t stream) {
    if (outcome_) {
        return;
    }
    feeds_.at(stream)->frameShown(frame);
    if (options_.duration && !duration_.isActive()) {
        duration_.start(std::chrono::ceil<std::chrono::milliseconds>(*options_.duration));
    }
    endAfterFrames();
}

/// What is recorded ends with as many frames in the file, unless that has failed. Of several streams each
/// shows as many, or is over.
void ViewerController::endAfterFrames() {
    const auto hasShownThem = [this](const auto& feed) {
        return feed->framesShown() >= *options_.frames || feed->outcome();
    };
    if (options_.frames && (!recorder_ || !recorder_->status().problem.empty()) &&
        std::all_of(feeds_.begin(), feeds_.end(), hasShownThem)) {
        end("frames", 0);
    }
}

void ViewerController::end(const std::string& reason, int exitCode) {
    if (!outcome_) {
        outcome_ = ViewOutcome{.reason = reason, .exitCode = exitCode};
        for (const auto& feed : feeds_) {
            feed->silence();
        }
        Q_EMIT ended();
    }
}

void ViewerController::endByUser() {
    const auto failed =
        std::find_if(feeds_.begin(), feeds_.end(), [](const auto& feed) { return bool(feed->failure()); });
    if (failed != feeds_.end()) {
        end((*failed)->outcome()->reason, (*failed)->outcome()->exitCode);
    } else {
        end("closed", 0);
    }
}

}  // namespace verbcast
