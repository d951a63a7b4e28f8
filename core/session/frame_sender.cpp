#include "core/session/frame_sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/log.h"
#include "core/base/spin.h"
#include "core/session/rendezvous.h"
#include "core/session/retry.h"
#include "core/session/slot_count.h"

namespace verbcast {

class FrameSender::Impl {
  public:
    explicit Impl(const SenderOptions& options);
    ~Impl();

    Status waitForReceiver(std::chrono::nanoseconds timeout, const Event& cancel);
    Status submit(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info, const Event& cancel);
    void submitPreview(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info);
    bool previewWatched() const { return preview_ && preview_->receiverCount() > 0; }
    bool waitUntilDue(TimestampNs due, const Event& cancel);
    InputQueue& input() { return shared_.input; }
    Status finish(const std::string& reason, std::chrono::nanoseconds timeout, const Event& cancel);
    std::size_t receiverCount() const;
    std::vector<ReceiverStats> receivers() const;
    StreamStats stats() const;
    LinkEnd lastEnd() const;
    std::vector<std::string> takeDepartures();
    std::string transportReason() const;
    std::vector<std::string> listenAddresses() const {
        return acceptor_ ? acceptor_->addresses() : std::vector<std::string>{};
    }

  private:
    /// One receiver with the thread that serves it.
    struct Served {
        std::unique_ptr<SenderLink> link;
        std::string reason;
        std::atomic<bool> ended{false};
        std::jthread thread;  // last: it uses the link
    };

    void serveListening();
    void serveConnecting();
    void start(Connection connection);
    void run(Served& served);
    void removeEnded();
    bool anyAlive() const;
    void updateEpoch(const VideoFormat& format, const std::shared_ptr<FramePool>& pool);
    template <typename Done>
    Status waitForProgress(Done&& done, std::chrono::nanoseconds timeout, const Event& cancel);
    Status waitForRoom(const Event& cancel);
    std::size_t distribute(const QueuedFrame& frame);
    void rethrowFailure() const;

    SenderOptions options_;
    SenderLink::Shared shared_;
    std::unique_ptr<Acceptor> acceptor_;
    std::unique_ptr<FrameSender> preview_;  // a session of its own: nothing of it shows in this one
    Event cancel_;
    Event linkEnded_;
    std::uint64_t nextSequence_ = 0;  // the submitting thread's
    std::atomic<bool> finishing_{false};
    std::atomic<bool> anyDepartures_{false};  // departures_ is not empty: read without the lock

    mutable std::mutex
        mutex_;  // guards what follows; taken once per frame, contended only when a receiver comes or goes
    std::vector<std::unique_ptr<Served>> served_;
    std::shared_ptr<const Epoch> epoch_;  // shared: frames and links carry it
    std::exception_ptr failure_;
    LinkEnd lastEnd_;
    bool anyEnded_ = false;
    std::vector<std::string> departures_;
    ReceiverStats lastReceiver_;
    std::string transportReason_;
    std::uint64_t connections_ = 0;
    std::uint64_t connectionsLost_ = 0;

    std::jthread thread_;  // last: it uses everything above
};

namespace {

SenderOptions previewOptions(const SenderOptions& options, ArmedEvent& audience) {
    SenderOptions preview;
    preview.url = *options.preview;
    preview.policy = Policy::Latest;
    preview.slots = kPreviewSlots + 1;  // and the one that is being captured
    preview.maxReceivers = 1;
    preview.name = options.name;
    preview.peerTimeout = options.peerTimeout;
    preview.audience = &audience;
    return preview;
}

}  // namespace

FrameSender::Impl::Impl(const SenderOptions& options) : options_(options) {
    options_.transport.sendsFrames = true;
    shared_.policy = options.policy;
    shared_.slots = checkedSlots(options.slots);
    shared_.allowInput = options.allowInput;
    shared_.audience = options.audience;
    if (options.preview) {
        preview_ = std::make_unique<FrameSender>(previewOptions(options, shared_.progress));
    }
    if (options.listen) {
        acceptor_ = std::make_unique<Acceptor>(options.url, options_.transport);
    }
    thread_ = std::jthread([this] {
        try {
            options_.listen ? serveListening() : serveConnecting();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
        }
        shared_.progress.notify();
    });
}

FrameSender::Impl::~Impl() {
    cancel_.notify();
    thread_.join();
    std::vector<std::unique_ptr<Served>> ending;
    {
        const std::lock_guard lock(mutex_);
        ending.swap(served_);
    }
    for (auto& served : ending) {
        served->link->stop("the sender stopped");
    }
}

void FrameSender::Impl::serveListening() {
    while (!cancel_.isSet()) {
        for (Connection next = acceptor_->accept(); next.channel; next = acceptor_->accept()) {
            removeEnded();
            if (receiverCount() >= options_.maxReceivers || finishing_) {
                BusySignal(*acceptor_, "the sender serves as many viewers as it may").serve();
                continue;
            }
            start(std::move(next));
        }
        waitReadable({acceptor_->waitDescriptor(), cancel_.descriptor(), linkEnded_.descriptor()},
                     std::chrono::seconds(1));
        linkEnded_.clear();
        removeEnded();
    }
}

void FrameSender::Impl::serveConnecting() {
    while (!cancel_.isSet() && !finishing_) {
        Connection connection = connectWithRetry(options_.url, options_.transport, cancel_);
        if (!connection.channel) {
            return;
        }
        start(std::move(connection));
        while (!cancel_.isSet() && anyAlive()) {
            waitReadable({cancel_.descriptor(), linkEnded_.descriptor()}, std::chrono::seconds(1));
            linkEnded_.clear();
        }
        removeEnded();
        bool permanent = false;
        {
            const std::lock_guard lock(mutex_);
            permanent = lastEnd_.permanent;
        }
        if (permanent) {
            throw Error(ErrorKind::Peer, lastEnd().reason,
                        "use the same version of verbcast on both sides, one sending and one viewing");
        }
        if (!options_.reconnect) {
            return;
        }
        if (lastEnd().kind == LinkEnd::Kind::Refused) {
            waitReadable({cancel_.descriptor()}, std::chrono::milliseconds(500));
        }
    }
}

void FrameSender::Impl::start(Connection connection) {
    LinkOptions linkOptions;
    linkOptions.role = Role::Sender;
    linkOptions.name = options_.name.empty() ? hostName() : options_.name;
    linkOptions.slots = options_.slots;
    linkOptions.peerTimeout = options_.peerTimeout;
    linkOptions.poll = options_.poll;
    linkOptions.features = options_.allowInput ? kTakesInput : 0;
    auto served = std::make_unique<Served>();
    served->reason = connection.reason;
    const std::lock_guard lock(mutex_);
    ++connections_;
    served->link = std::make_unique<SenderLink>(std::move(connection.channel), linkOptions, shared_, epoch_,
                                                connections_);
    transportReason_ = connection.reason;
    Served& reference = *served;
    served_.push_back(std::move(served));
    reference.thread = std::jthread([this, &reference] { run(reference); });
}

void FrameSender::Impl::run(Served& served) {
    LinkEnd end;
    try {
        end = served.link->run();
    } catch (const Error& error) {
        end = {LinkEnd::Kind::Broken, error.what(), false};
        const std::lock_guard lock(mutex_);
        if (!options_.listen) {
            failure_ = std::current_exception();
        } else {
            log().error("{}", error.what());
        }
    }
    log().info("connection over {} ended: {}", served.link->channelDescription().transport, end.reason);
    served.link->releaseInput();
    {
        const std::lock_guard lock(mutex_);
        if (served.link->accepting()) {
            lastReceiver_ = served.link->stats();
            if (--shared_.linkCount > 0) {
                departures_.push_back(fmt::format("{} ({}) is gone: {}", lastReceiver_.name,
                                                  lastReceiver_.channel.peer, end.reason));
                anyDepartures_ = true;
            }
        }
        lastEnd_ = end;
        // A caller that never became a receiver does not end what waits for one.
        anyEnded_ |= !options_.listen || served.link->accepting();
        connectionsLost_ += end.kind == LinkEnd::Kind::Lost || end.kind == LinkEnd::Kind::Broken ? 1 : 0;
        served.ended = true;
    }
    linkEnded_.notify();
    shared_.progress.notify();
}

void FrameSender::Impl::removeEnded() {
    std::vector<std::unique_ptr<Served>> ended;  // joined and destroyed outside the lock
    const std::lock_guard lock(mutex_);
    for (auto& served : served_) {
        if (served->ended) {
            ended.push_back(std::move(served));
        }
    }
    std::erase(served_, nullptr);
}

bool FrameSender::Impl::anyAlive() const {
    const std::lock_guard lock(mutex_);
    return std::any_of(served_.begin(), served_.end(), [](const auto& served) { return !served->ended; });
}

std::size_t FrameSender::Impl::receiverCount() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(served_.begin(), served_.end(), [](const auto& served) {
        return !served->ended && served->link->accepting();
    }));
}

void FrameSender::Impl::rethrowFailure() const {
    const std::lock_guard lock(mutex_);
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

template <typename Done>
Status FrameSender::Impl::waitForProgress(Done&& done, std::chrono::nanoseconds timeout,
                                          const Event& cancel) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        if (done()) {
            return Status::Ok;
        }
        rethrowFailure();
        if (cancel.isSet()) {
            return Status::Cancelled;
        }
        const auto left = deadline - std::chrono::steady_clock::now();
        if (left.count() <= 0) {
            return Status::TimedOut;
        }
        shared_.progress.arm();
        if (!done()) {
            waitReadable({shared_.progress.descriptor(), cancel.descriptor()},
                         std::min<std::chrono::nanoseconds>(left, std::chrono::seconds(1)));
        }
        shared_.progress.disarm();
    }
}

Status FrameSender::Impl::waitForReceiver(std::chrono::nanoseconds timeout, const Event& cancel) {
    bool gone = false;
    bool early = false;
    const bool watched = previewWatched();
    const Status status = waitForProgress(
        [&] {
            if (receiverCount() > 0) {
                return true;
            }
            const std::lock_guard lock(mutex_);
            gone = anyEnded_ && !options_.reconnect;
            early = !watched && previewWatched();
            return gone || early;
        },
        timeout, cancel);
    return gone ? Status::Closed : early ? Status::TimedOut : status;
}

void FrameSender::Impl::updateEpoch(const VideoFormat& format, const std::shared_ptr<FramePool>& pool) {
    if (epoch_ && epoch_->pool == pool && epoch_->format == format) {
        return;
    }
    auto next = std::make_shared<Epoch>();
    next->number = epoch_ ? epoch_->number + 1 : 1;
    next->generation = !epoch_ ? 1 : epoch_->generation + (epoch_->pool == pool ? 0 : 1);
    next->format = format;
    next->pool = pool;
    const std::lock_guard lock(mutex_);
    epoch_ = std::move(next);
}

Status FrameSender::Impl::waitForRoom(const Event& cancel) {
    Status outcome = Status::Ok;
    const auto decided = [&] {
        const std::lock_guard lock(mutex_);
        std::size_t receivers = 0;
        for (const auto& served : served_) {
            if (!served->ended && served->link->accepting()) {
                ++receivers;
                if (!served->link->canPush()) {
                    return false;
                }
            }
        }
        if (receivers == 0) {
            outcome = anyEnded_ && !options_.reconnect ? Status::Closed : Status::Busy;
        }
        return true;
    };
    const Status waited = waitForProgress(decided, std::chrono::hours(24 * 365), cancel);
    return waited == Status::Ok ? outcome : waited;
}

Status FrameSender::Impl::submit(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info,
                                 const Event& cancel) {
    if (options_.policy == Policy::Lossless) {
        if (const Status room = waitForRoom(cancel); room != Status::Ok) {
            return room;
        }
    }
    updateEpoch(format, lease.pool());
    QueuedFrame frame;
    frame.info = info;
    frame.info.epoch = epoch_->number;
    frame.info.sequence = nextSequence_++;
    frame.info.payloadBytes = format.payloadBytes;
    frame.info.submittedAt = nowNs();
    frame.epoch = epoch_;
    frame.lease = std::move(lease);
    const std::size_t receivers = distribute(frame);
    shared_.capture.record(frame.info.submittedAt - frame.info.capturedAt);
    if (preview_) {
        submitPreview(std::move(frame.lease), format, info);
    }
    if (receivers == 0) {
        const std::lock_guard lock(mutex_);
        ++shared_.framesDropped;
        return anyEnded_ && !options_.reconnect ? Status::Closed : Status::Ok;
    }
    return Status::Ok;
}

std::size_t FrameSender::Impl::distribute(const QueuedFrame& frame) {
    const std::lock_guard lock(mutex_);
    std::size_t receivers = 0;
    for (const auto& served : served_) {
        if (!served->ended && served->link->accepting()) {
            ++receivers;
            // There is room: only this thread fills the queues, and a receiver that came just now has an
            // empty one.
            static_cast<void>(served->link->push({frame.lease.share(), frame.info, frame.epoch}));
        }
    }
    return receivers;
}

void FrameSender::Impl::submitPreview(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info) {
    FrameInfo shown = info;
    shown.inputSequence = 0;  // the receivers' input, not the preview's
    static_cast<void>(preview_->submit(std::move(lease), format, shown, cancel_));
}

bool FrameSender::Impl::waitUntilDue(TimestampNs due, const Event& cancel) {
    if (!options_.poll) {
        return waitUntil(due, cancel);
    }
    return spinUntil(due, cancel, [this] {
        const std::lock_guard lock(mutex_);
        for (const auto& served : served_) {
            if (!served->ended && served->link->accepting()) {
                served->link->serveMeanwhile();
            }
        }
    });
}

Status FrameSender::Impl::finish(const std::string& reason, std::chrono::nanoseconds timeout,
                                 const Event& cancel) {
    finishing_ = true;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& served : served_) {
            served->link->finish(reason);
        }
    }
    return waitForProgress([this] { return !anyAlive(); }, timeout, cancel);
}

std::vector<ReceiverStats> FrameSender::Impl::receivers() const {
    const std::lock_guard lock(mutex_);
    std::vector<ReceiverStats> list;
    for (const auto& served : served_) {
        if (!served->ended && served->link->accepting()) {
            list.push_back(served->link->stats());
        }
    }
    return list;
}

StreamStats FrameSender::Impl::stats() const {
    StreamStats stats;
    const std::vector<ReceiverStats> live = receivers();
    const std::lock_guard lock(mutex_);
    const ReceiverStats& receiver = live.empty() ? lastReceiver_ : live.front();
    stats.transport = receiver.channel.transport;
    if (epoch_) {
        stats.format = epoch_->format;
    }
    stats.framesTransferred = shared_.framesSent;
    stats.framesShown = receiver.report.shown;
    stats.framesSkipped = receiver.report.skipped;
    stats.framesDropped = shared_.framesDropped;
    stats.bytes = shared_.bytesSent;
    stats.bytesCopied = shared_.bytesCopied;
    stats.seconds = static_cast<double>(shared_.lastSentAt - shared_.firstSentAt) * 1e-9;
    stats.latency = receiver.report.latency;
    stats.clockErrorUs = receiver.report.clockErrorUs;
    stats.stageCapture = shared_.capture.snapshot().percentiles();
    stats.connections = connections_;
    stats.connectionsLost = connectionsLost_;
    return stats;
}

LinkEnd FrameSender::Impl::lastEnd() const {
    const std::lock_guard lock(mutex_);
    return lastEnd_;
}

std::vector<std::string> FrameSender::Impl::takeDepartures() {
    if (!anyDepartures_) {
        return {};
    }
    const std::lock_guard lock(mutex_);
    anyDepartures_ = false;
    return std::exchange(departures_, {});
}

std::string FrameSender::Impl::transportReason() const {
    const std::lock_guard lock(mutex_);
    return transportReason_;
}

FrameSender::FrameSender(const SenderOptions& options) : impl_(std::make_unique<Impl>(options)) {}
FrameSender::~FrameSender() = default;
Status FrameSender::waitForReceiver(std::chrono::nanoseconds timeout, const Event& cancel) {
    return impl_->waitForReceiver(timeout, cancel);
}
bool FrameSender::waitUntilDue(TimestampNs due, const Event& cancel) {
    return impl_->waitUntilDue(due, cancel);
}
void FrameSender::submitPreview(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info) {
    impl_->submitPreview(std::move(lease), format, info);
}
bool FrameSender::previewWatched() const {
    return impl_->previewWatched();
}
void FrameSender::takeInput(std::vector<ViewerInput>& events) {
    impl_->input().take(events);
}
ArmedEvent& FrameSender::inputAvailable() {
    return impl_->input().available();
}
Status FrameSender::submit(FrameLease&& lease, const VideoFormat& format, const FrameInfo& info,
                           const Event& cancel) {
    return impl_->submit(std::move(lease), format, info, cancel);
}
Status FrameSender::finish(const std::string& reason, std::chrono::nanoseconds timeout, const Event& cancel) {
    return impl_->finish(reason, timeout, cancel);
}
std::size_t FrameSender::receiverCount() const {
    return impl_->receiverCount();
}
std::vector<ReceiverStats> FrameSender::receivers() const {
    return impl_->receivers();
}
StreamStats FrameSender::stats() const {
    return impl_->stats();
}
std::string FrameSender::lastEnd() const {
    return impl_->lastEnd().reason;
}
std::vector<std::string> FrameSender::takeDepartures() {
    return impl_->takeDepartures();
}
bool FrameSender::lastEndWasLoss() const {
    const auto kind = impl_->lastEnd().kind;
    return kind == LinkEnd::Kind::Lost || kind == LinkEnd::Kind::Broken;
}
std::string FrameSender::transportReason() const {
    return impl_->transportReason();
}
std::vector<std::string> FrameSender::listenAddresses() const {
    return impl_->listenAddresses();
}

}  // namespace verbcast
