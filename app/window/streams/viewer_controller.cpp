#include "app/window/streams/viewer_controller.h"

#include <QSocketNotifier>
#include <algorithm>
#include <chrono>
#include <ranges>

#include "core/base/log/log.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// How long to wait for the reader of a piped recording after the stream has ended.
constexpr auto kReaderPatience = 5s;
// The same when the user ends it and waits for the window to close.
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
    if (options.sync) {
        frameLock_ = std::make_unique<FrameLockStream>(options.receiver.slots);
    }
    if (options_.takesCallers()) {
        newFeed(std::make_unique<StreamFeed>(options_, ShownWith{.alignment = alignment_.get()}));
        return;
    }
    for (const StreamPeer& peer : options.peers) {
        newFeed(std::make_unique<StreamFeed>(options_, peer, recorder_,
                                             ShownWith{alignment_.get(), frameLock_.get()}));
    }
}

ViewerController::~ViewerController() = default;

StreamFeed& ViewerController::newFeed(std::unique_ptr<StreamFeed> feed) {
    SoundControls sound = soundControls(options_);
    sound.audible = feeds_.empty();
    feed->controlSound(sound);
    feeds_.push_back(std::move(feed));
    connect(feeds_.back().get(), &StreamFeed::over, this,
            [this, fresh = feeds_.back().get()] { onOver(*fresh); });
    connect(feeds_.back().get(), &StreamFeed::left, this,
            [this](const LeftStream& stream) { left_.push_back(stream); });
    return *feeds_.back();
}

void ViewerController::startListening() {
    StreamAcceptorOptions options = acceptorOptions(options_);
    options.outlivesEnd = true;
    callers_ = std::make_unique<StreamCallers>(options);
    connect(callers_.get(), &StreamCallers::came, this, &ViewerController::onCame);
    connect(callers_.get(), &StreamCallers::failed, this,
            [this](const std::exception_ptr& failure) { feeds_.front()->fail(failure); });
    static_cast<void>(feeds_.front()->vacate(vacancy()));
}

Message ViewerController::vacancy() const {
    if (!callers_) {
        return {.title = tr("No stream"), .text = tr("Press A to add one, or drop an address here")};
    }
    QStringList addresses;
    for (const std::string& address : callers_->listenAddresses()) {
        addresses << QString::fromStdString(address);
    }
    return {.title = tr("Waiting for senders"),
            .text = tr("on %1, %2 at most").arg(addresses.join(", ")).arg(options_.streams)};
}

void ViewerController::onCame(std::shared_ptr<IncomingStream> stream) {
    if (outcome_) {
        return;
    }
    if (feeds_.front()->vacant()) {
        feeds_.front()->accept(std::move(stream), options_.peers.front());
        return;
    }
    newFeed(std::make_unique<StreamFeed>(options_, ShownWith{.alignment = alignment_.get()}));
    Q_EMIT streamAdded();
    feeds_.back()->accept(std::move(stream), options_.peers.front());
}

std::size_t ViewerController::liveStreams() const {
    return feeds_.front()->vacant() ? 0 : feeds_.size();
}

std::size_t ViewerController::room() const {
    const auto called =
        std::ranges::count_if(feeds_, [](const auto& feed) { return feed->callersInstance() != 0; });
    const std::size_t kept = callers_ ? options_.streams - static_cast<std::size_t>(called) : 0;
    return !mayChange() ? 0
                        : kMaxViewedStreams - std::min<std::size_t>(kMaxViewedStreams, liveStreams() + kept);
}

std::optional<std::size_t> ViewerController::add(const SessionAddress& address, const std::string& keyFile) {
    if (room() == 0 || outcome_) {
        return std::nullopt;
    }
    const StreamPeer peer = peerAt(options_, address, keyFile);
    if (!feeds_.front()->vacant()) {
        newFeed(std::make_unique<StreamFeed>(options_, ShownWith{.alignment = alignment_.get()}));
        Q_EMIT streamAdded();
    }
    feeds_.back()->connectTo(peer, keyFile);
    return feeds_.size() - 1;
}

void ViewerController::dismiss(const StreamFeed& feed) {
    if (callers_ && feed.callersInstance() != 0) {
        callers_->dismiss(feed.callersInstance());
    }
}

void ViewerController::connectTo(std::size_t stream, const SessionAddress& address,
                                 const std::string& keyFile) {
    const StreamPeer peer = peerAt(options_, address, keyFile);
    dismiss(feed(stream));
    leaveTakes(feed(stream));
    feed(stream).connectTo(peer, keyFile);
}

void ViewerController::remove(std::size_t stream) {
    if (!feed(stream).vacant() && mayChange()) {
        dismiss(feed(stream));
        vacate(stream);
    }
}

/// Frees the stream's place.
void ViewerController::vacate(std::size_t stream) {
    StreamFeed& feed = *feeds_.at(stream);
    Q_EMIT streamLeaves(stream);
    leaveTakes(feed);
    closeLater(feed.vacate(vacancy()));
    if (feeds_.size() > 1) {
        // Its own signal may have led here.
        feeds_[stream].release()->deleteLater();
        feeds_.erase(feeds_.begin() + static_cast<std::ptrdiff_t>(stream));
    }
    Q_EMIT streamsChanged();
}

/// Closing waits for the peer, which the GUI thread must not do.
void ViewerController::closeLater(std::unique_ptr<ReceiverThread> receiver) {
    std::erase_if(leaving_, [](const std::future<void>& closed) {
        return closed.wait_for(0s) == std::future_status::ready;
    });
    if (receiver) {
        leaving_.push_back(
            std::async(std::launch::async, [gone = std::move(receiver)]() mutable { gone.reset(); }));
    }
}

void ViewerController::open() {
    if (options_.takesCallers()) {
        startListening();
    }
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
    const bool nobody =
        std::ranges::all_of(feeds_, [](const auto& feed) { return feed->stats().connections == 0; });
    if (nobody) {
        log().error("no sender connected within {:g} s (--wait)",
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
    recorder_ = std::make_shared<Recorder>(RecorderOptions{.file = {.path = options_.output,
                                                                    .container = options_.container,
                                                                    .encoder = options_.encoder,
                                                                    .existing = options_.existing,
                                                                    .soundEncoder = options_.soundEncoder},
                                                           .slots = options_.receiver.slots,
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

std::optional<RecordingStatus> ViewerController::recording(std::size_t stream) const {
    if (recorder_) {
        return recorder_->status();
    }
    if (const Take* const take = findTake(feed(stream))) {
        return take->recorder()->status();
    }
    const auto broken = std::ranges::find(brokenTakes_, &feed(stream), &BrokenTake::feed);
    return broken != brokenTakes_.end() ? std::optional(broken->take.status) : std::nullopt;
}

std::string ViewerController::recordingPath(std::size_t stream) const {
    if (recorder_) {
        return recorder_->path();
    }
    if (const Take* const take = findTake(feed(stream))) {
        return take->path();
    }
    const auto broken = std::ranges::find(brokenTakes_, &feed(stream), &BrokenTake::feed);
    return broken != brokenTakes_.end() ? broken->take.path : std::string();
}

const Take* ViewerController::findTake(const StreamFeed& feed) const {
    const auto open = std::ranges::find(takes_, &feed, &OpenTake::feed);
    return open == takes_.end() ? nullptr : open->take.get();
}

void ViewerController::startTake(std::size_t stream, const std::string& path) {
    stopTake(stream);
    StreamFeed& feed = this->feed(stream);
    auto take = std::make_unique<Take>(path, options_.receiver.slots, feed.stats());
    std::erase_if(brokenTakes_, [&feed](const BrokenTake& broken) { return broken.feed == &feed; });
    connect(take.get(), &Take::failed, this, [this, &feed] { endTake(feed); });
    feed.record(take->recorder());
    takes_.push_back({&feed, std::move(take)});
}

void ViewerController::stopTake(std::size_t stream) {
    endTake(feed(stream));
}

/// Call it before the feed is removed: the take must not outlive it.
void ViewerController::endTake(StreamFeed& feed) {
    const auto open = std::ranges::find(takes_, &feed, &OpenTake::feed);
    if (open == takes_.end()) {
        return;
    }
    feed.record(nullptr);
    Take* const ending = open->take.get();
    endingTakes_.push_back(std::move(*open));
    takes_.erase(open);
    connect(ending, &Take::ended, this, [this, ending] { onTakeEnded(*ending); });
    ending->finish(feed.stats().framesDropped);
}

/// The feed goes, or shows another stream: what was recorded of this one is not its any more.
void ViewerController::leaveTakes(StreamFeed& feed) {
    endTake(feed);
    std::erase_if(brokenTakes_, [&feed](const BrokenTake& broken) { return broken.feed == &feed; });
    for (OpenTake& ending : endingTakes_) {
        ending.feed = ending.feed == &feed ? nullptr : ending.feed;
    }
}

void ViewerController::onTakeEnded(Take& take) {
    const auto place = std::ranges::find_if(
        endingTakes_, [&take](const OpenTake& each) { return each.take.get() == &take; });
    if (place == endingTakes_.end()) {
        return;  // finishTakes() has waited for it
    }
    finishedTakes_.push_back(take.wait());
    if (place->feed != nullptr && !finishedTakes_.back().status.problem.empty()) {
        brokenTakes_.push_back({place->feed, finishedTakes_.back()});
    }
    place->take.release()->deleteLater();  // its own signal led here
    endingTakes_.erase(place);
    Q_EMIT takeEnded(finishedTakes_.back());
}

std::vector<FinishedTake> ViewerController::finishTakes() {
    while (!takes_.empty()) {
        endTake(*takes_.back().feed);
    }
    for (const OpenTake& ending : endingTakes_) {
        finishedTakes_.push_back(ending.take->wait());
    }
    endingTakes_.clear();
    return finishedTakes_;
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

/// If one of several streams ends, the others continue; when all are over, the first error decides the
/// outcome. A failure stays on display unless the options end the program with the stream.
void ViewerController::onOver(StreamFeed& feed) {
    if (feed.callersInstance() != 0 && feed.stats().framesTransferred == 0) {
        // It called but sent nothing: free its place, for itself if it calls again.
        QMetaObject::invokeMethod(
            this,
            [this, gone = QPointer(&feed)] {
                const auto at = std::ranges::find(feeds_, gone.data(), &std::unique_ptr<StreamFeed>::get);
                if (gone && at != feeds_.end() && !gone->vacant() && mayChange()) {
                    vacate(static_cast<std::size_t>(at - feeds_.begin()));
                }
            },
            Qt::QueuedConnection);
        return;
    }
    const auto isOver = [](const auto& each) { return each->outcome().has_value(); };
    if ((feed.failure() && options_.receiver.reconnect) || !std::ranges::all_of(feeds_, isOver)) {
        return;
    }
    const auto wrong =
        std::ranges::find_if(feeds_, [](const auto& each) { return each->outcome()->exitCode != 0; });
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

/// Ends the program once every stream has shown enough frames or is over. A recording ends it instead when
/// the file has enough frames, unless it has failed.
void ViewerController::endAfterFrames() {
    const auto hasShownThem = [this](const auto& feed) {
        return feed->framesShown() >= *options_.frames || feed->outcome();
    };
    if (callers_ && liveStreams() < options_.streams) {
        return;
    }
    if (options_.frames && (!recorder_ || !recorder_->status().problem.empty()) &&
        std::ranges::all_of(feeds_, hasShownThem)) {
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
    const auto failed = std::ranges::find_if(feeds_, [](const auto& feed) { return bool(feed->failure()); });
    if (failed != feeds_.end()) {
        end((*failed)->outcome()->reason, (*failed)->outcome()->exitCode);
    } else {
        end("closed", 0);
    }
}

}  // namespace verbcast
