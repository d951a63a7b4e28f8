#include "core/session/frame_receiver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "core/base/log.h"
#include "core/base/spin.h"
#include "core/session/receiver_link.h"
#include "core/session/rendezvous.h"
#include "core/session/retry.h"
#include "core/session/slot_count.h"

namespace verbcast {

namespace {

/// Frames that came further apart than this are not waited for by spinning.
constexpr TimestampNs kWorthSpinning = 10 * kSpin;

}  // namespace

class FrameReceiver::Impl {
  public:
    explicit Impl(const ReceiverOptions& options);
    ~Impl();

    Status receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout);
    void frameShown(const ReceivedFrame& frame);
    bool inputAllowed() const;
    std::uint64_t sendInput(const InputEvent& event);
    void countSkipped() { ++shared_.framesSkipped; }
    bool takeNext(ReceivedFrame& frame) {
        recordPassage();
        return take(frame);
    }
    void cancel();
    ReceiverStatus status() const;
    StreamStats stats();
    std::vector<std::string> listenAddresses() const {
        return acceptor_ ? acceptor_->addresses() : std::vector<std::string>{};
    }

  private:
    void serve();
    Connection obtain();
    void serveConnection(Connection connection);
    LinkEnd runLink(ReceiverLink& link);
    bool endIsFinal(const LinkEnd& end) const;
    void setState(StreamState state, const std::string& text);
    void fail(std::exception_ptr failure);
    std::string target() const;
    std::shared_ptr<ReceiverLink> linkToServe() const;
    bool take(ReceivedFrame& frame);
    void recordPassage();
    void recordInputShown(std::uint64_t inputSequence);
    void awaitChange(std::chrono::nanoseconds timeout);

    ReceiverOptions options_;
    ReceiverLink::Shared shared_;
    std::unique_ptr<Acceptor> acceptor_;
    Event cancel_;
    std::atomic<bool> cancelled_{false};  // cancel_ was set: read without a system call
    std::atomic<bool> finished_{false};
    std::atomic<bool> connected_{false};  // there is a link
    TimestampNs lastWait_ = 0;            // for the frame before: tells whether a spin would find the next
    std::atomic<TimestampNs> connectStartedAt_{0};
    std::atomic<TimestampNs> firstShownAfter_{0};

    /// When the frame that the consumer took last passed the stages. Entering it into the histograms touches
    /// so many cold cache lines that it would cost the frame a microsecond; it is done when the next is asked
    /// for.
    struct Passage {
        TimestampNs captureTime, postTime, arrivedAt, submittedAt, postedAt;
        bool clockKnown;
    };
    std::mutex passageMutex_;  // guards passage_ and the recording of the histograms
    std::optional<Passage> passage_;

    struct PendingInput {
        std::uint64_t sequence;
        TimestampNs sentAt;
    };
    mutable std::mutex inputMutex_;  // guards what follows and the recording of input-to-picture times
    std::deque<PendingInput> pendingInput_;
    std::uint64_t lastInput_ = 0;

    mutable std::mutex mutex_;  // guards what follows; never held per frame
    ReceiverStatus status_;
    std::shared_ptr<ReceiverLink> link_;  // shared with the consumer while it serves
    std::shared_ptr<const VideoFormat> lastFormat_;
    std::exception_ptr failure_;
    std::uint64_t connections_ = 0;
    std::uint64_t connectionsLost_ = 0;

    std::jthread thread_;  // last: it uses everything above
};

FrameReceiver::Impl::Impl(const ReceiverOptions& options)
    : options_(options), shared_(checkedSlots(options.slots)) {
    if (options.listen) {
        acceptor_ = std::make_unique<Acceptor>(options.url, options.transport);
    }
    setState(options.listen ? StreamState::Waiting : StreamState::Connecting,
             options.listen ? "waiting for a sender on " + target() : "connecting to " + target());
    thread_ = std::jthread([this] { serve(); });
}

FrameReceiver::Impl::~Impl() {
    cancel();
}

std::string FrameReceiver::Impl::target() const {
    return acceptor_ ? fmt::format("{}", fmt::join(acceptor_->addresses(), ", ")) : options_.url.text();
}

void FrameReceiver::Impl::cancel() {
    cancelled_ = true;
    cancel_.notify();
    const std::lock_guard lock(mutex_);
    if (link_ != nullptr) {
        link_->stop("the viewer stopped");
    }
}

void FrameReceiver::Impl::setState(StreamState state, const std::string& text) {
    const std::lock_guard lock(mutex_);
    status_.state = state;
    status_.text = text;
}

void FrameReceiver::Impl::fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    status_.state = StreamState::Failed;
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        status_.text = error.what();
        status_.senderReason = error.remedy();
    } catch (const std::exception& error) {
        status_.text = error.what();
    }
}

void FrameReceiver::Impl::serve() {
    try {
        while (!cancel_.isSet() && !finished_) {
            Connection connection = obtain();
            if (connection.channel) {
                serveConnection(std::move(connection));
            }
        }
    } catch (...) {
        fail(std::current_exception());
    }
    finished_ = true;
    shared_.queue.available().notify();
}

Connection FrameReceiver::Impl::obtain() {
    if (acceptor_) {
        while (!cancel_.isSet()) {
            if (Connection connection = acceptor_->accept(); connection.channel) {
                return connection;
            }
            waitReadable({acceptor_->waitDescriptor(), cancel_.descriptor()}, std::chrono::seconds(1));
        }
        return {};
    }
    return connectWithRetry(options_.url, options_.transport, cancel_);
}

void FrameReceiver::Impl::serveConnection(Connection connection) {
    LinkOptions linkOptions;
    linkOptions.role = Role::Receiver;
    linkOptions.name = options_.name.empty() ? hostName() : options_.name;
    linkOptions.slots = options_.slots;
    linkOptions.peerTimeout = options_.peerTimeout;
    linkOptions.poll = options_.poll;
    std::unique_ptr<BusySignal> busy;
    if (acceptor_) {
        busy = std::make_unique<BusySignal>(*acceptor_, "this viewer already has a sender");
        linkOptions.sideJob = busy.get();
    }
    const std::uint64_t before = shared_.framesReceived;
    connectStartedAt_ = connection.startedAt;
    {
        const std::lock_guard lock(inputMutex_);
        pendingInput_.clear();  // of the connection before: nobody will show it
    }
    const auto shared = std::make_shared<ReceiverLink>(std::move(connection.channel), linkOptions, shared_);
    ReceiverLink& link = *shared;
    {
        const std::lock_guard lock(mutex_);
        link_ = shared;
        connected_ = true;
        status_.channel = link.channelDescription();
        status_.transportReason = connection.reason;
        ++connections_;
        if (cancel_.isSet()) {
            link.stop("the viewer stopped");
        }
    }
    struct Unlink {
        Impl& impl;
        ReceiverLink& link;
        ~Unlink() {
            const std::lock_guard lock(impl.mutex_);
            impl.status_.peerName = link.peerName();
            if (link.format()) {
                impl.lastFormat_ = link.format();
            }
            impl.link_.reset();
            impl.connected_ = false;
            impl.shared_.queue.available().notify();
        }
    } unlink{*this, link};
    shared_.queue.available().notify();
    const LinkEnd end = runLink(link);
    log().info("connection over {} ended: {}", status_.channel.transport, end.reason);
    if (end.kind == LinkEnd::Kind::Stopped) {
        return;
    }
    if (acceptor_ && end.kind == LinkEnd::Kind::Refused && !end.permanent && !link.connected()) {
        return;  // it called, did not want to send and said so: the wait for a sender goes on as before
    }
    const bool orderly = end.kind == LinkEnd::Kind::Orderly;
    const bool hadFrames = shared_.framesReceived != before;
    {
        const std::lock_guard lock(mutex_);
        connectionsLost_ += orderly ? 0 : 1;
        status_.senderReason = end.reason;
        if (hadFrames || link.connected() || !orderly) {
            status_.state = orderly ? StreamState::Ended : StreamState::Lost;
            status_.text = end.reason;
        }
    }
    if (!acceptor_ && (end.permanent || (end.kind == LinkEnd::Kind::Refused && !options_.reconnect))) {
        throw Error(ErrorKind::Peer, end.reason,
                    "use the same version of verbcast on both sides, one sending and one viewing");
    }
    if (acceptor_ && (end.kind == LinkEnd::Kind::Broken || end.kind == LinkEnd::Kind::Refused)) {
        log().warn("{}: {}", status_.channel.peer, end.reason);
    }
    finished_ = endIsFinal(end);
    if (!acceptor_ && !finished_ && !hadFrames) {
        // Connected, but not served (busy, say): do not knock again at once.
        waitReadable({cancel_.descriptor()}, std::chrono::milliseconds(500));
    }
}

LinkEnd FrameReceiver::Impl::runLink(ReceiverLink& link) {
    try {
        return link.run();
    } catch (const Error& error) {
        // Whoever calls us with a stream that this machine cannot hold has spoilt their own session, not
        // ours.
        if (!acceptor_) {
            throw;
        }
        return {LinkEnd::Kind::Broken, error.what(), false};
    }
}

bool FrameReceiver::Impl::endIsFinal(const LinkEnd& end) const {
    // A caller that never became a sender does not end what waits for one.
    if (acceptor_ && (end.kind == LinkEnd::Kind::Broken || end.kind == LinkEnd::Kind::Refused)) {
        return false;
    }
    return !options_.reconnect || (end.kind == LinkEnd::Kind::Orderly && options_.endWithStream);
}

std::shared_ptr<ReceiverLink> FrameReceiver::Impl::linkToServe() const {
    const std::lock_guard lock(mutex_);
    return link_ && link_->mayBeServed() ? link_ : nullptr;
}

/// Waits for a frame that the link's thread hands on, or for another state of the stream.
void FrameReceiver::Impl::awaitChange(std::chrono::nanoseconds timeout) {
    ArmedEvent& available = shared_.queue.available();
    available.arm();
    if (shared_.queue.empty() && !finished_) {
        waitReadable({available.descriptor(), cancel_.descriptor()}, timeout);
    }
    available.disarm();
}

bool FrameReceiver::Impl::take(ReceivedFrame& frame) {
    if (!shared_.queue.pop(frame)) {
        return false;
    }
    const std::lock_guard lock(passageMutex_);
    const FrameInfo& info = frame.info;
    passage_ = Passage{info.submittedAt - info.capturedAt,
                       info.postedAt - info.submittedAt,
                       frame.arrivedAt,
                       frame.submittedAt,
                       frame.postedAt,
                       frame.clockKnown};
    return true;
}

void FrameReceiver::Impl::recordPassage() {
    const std::lock_guard lock(passageMutex_);
    if (!passage_) {
        return;
    }
    shared_.capture.record(passage_->captureTime);
    shared_.post.record(passage_->postTime);
    if (passage_->clockKnown) {
        shared_.latency.record(passage_->arrivedAt - passage_->submittedAt);
        shared_.wire.record(passage_->arrivedAt - passage_->postedAt);
    }
    passage_.reset();
}

Status FrameReceiver::Impl::receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout) {
    recordPassage();
    const TimestampNs began = nowNs();
    std::shared_ptr<ReceiverLink> link = linkToServe();
    Spinner spinner;
    for (TimestampNs now = began;; now = nowNs()) {
        const Served served = link ? link->serve() : Served::Ended;
        if (take(frame)) {
            lastWait_ = now - began;
            return Status::Ok;
        }
        if (cancelled_) {
            return Status::Cancelled;
        }
        if (finished_) {
            if (!shared_.queue.empty()) {
                continue;  // arrived between the two looks
            }
            const std::lock_guard lock(mutex_);
            if (failure_) {
                std::rethrow_exception(failure_);
            }
            return Status::Closed;
        }
        const TimestampNs left = timeout.count() - (now - began);
        if (left <= 0) {
            return Status::TimedOut;
        }
        const bool spins = (options_.poll && connected_) ||
                           (served == Served::Idle && now - began < kSpin && lastWait_ < kWorthSpinning);
        if (served == Served::Worked) {
            continue;
        }
        if (spins) {
            spinner.turn();
            if (served == Served::Ended) {
                link = linkToServe();
            }
            continue;
        }
        if (!link || !link->awaitNews(std::chrono::nanoseconds(left))) {
            awaitChange(std::chrono::nanoseconds(left));
            link = linkToServe();
        }
    }
}

void FrameReceiver::Impl::frameShown(const ReceivedFrame& frame) {
    ++shared_.framesShown;
    if (firstShownAfter_ == 0) {
        firstShownAfter_ = nowNs() - connectStartedAt_;
    }
    shared_.show.record(nowNs() - frame.arrivedAt);
    if (frame.info.inputSequence != 0) {
        recordInputShown(frame.info.inputSequence);
    }
}

void FrameReceiver::Impl::recordInputShown(std::uint64_t inputSequence) {
    const TimestampNs now = nowNs();
    const std::lock_guard lock(inputMutex_);
    while (!pendingInput_.empty() && pendingInput_.front().sequence <= inputSequence) {
        shared_.inputToPicture.record(now - pendingInput_.front().sentAt);
        pendingInput_.pop_front();
    }
}

bool FrameReceiver::Impl::inputAllowed() const {
    const std::lock_guard lock(mutex_);
    return link_ && link_->inputAllowed();
}

std::uint64_t FrameReceiver::Impl::sendInput(const InputEvent& event) {
    constexpr std::size_t kMostPending = 4096;
    if (event.data.size() > kMaxInputData) {
        throw Error(ErrorKind::Usage, fmt::format("an input event of {} bytes: at most {} expected",
                                                  event.data.size(), kMaxInputData));
    }
    const std::lock_guard lock(mutex_);
    if (!link_ || !link_->inputAllowed()) {
        return 0;
    }
    const std::lock_guard inputLock(inputMutex_);
    const TimestampNs now = nowNs();
    if (!link_->sendInput({lastInput_ + 1, event})) {
        return 0;
    }
    ++lastInput_;
    if (pendingInput_.size() == kMostPending) {
        pendingInput_.pop_front();  // of a sender that shows no effects
    }
    pendingInput_.push_back({lastInput_, now});
    return lastInput_;
}

ReceiverStatus FrameReceiver::Impl::status() const {
    const std::lock_guard lock(mutex_);
    ReceiverStatus status = status_;
    if (link_ != nullptr && status.state != StreamState::Failed) {
        status.peerName = link_->peerName();
        if (link_->streaming()) {
            status.state = StreamState::Streaming;
            status.text = fmt::format("receiving from {} over {}", status.peerName, status.channel.transport);
        } else if (link_->connected()) {
            status.state = StreamState::Connected;
            status.text = fmt::format("connected to {} over {}", status.peerName, status.channel.transport);
        }
    }
    return status;
}

StreamStats FrameReceiver::Impl::stats() {
    recordPassage();
    StreamStats stats;
    {
        const std::lock_guard lock(mutex_);
        stats.transport = status_.channel.transport;
        const auto format = link_ != nullptr && link_->format() ? link_->format() : lastFormat_;
        if (format) {
            stats.format = *format;
        }
        stats.connections = connections_;
        stats.connectionsLost = connectionsLost_;
    }
    stats.framesTransferred = shared_.framesReceived;
    stats.framesShown = shared_.framesShown;
    stats.framesDropped = shared_.framesMissing;
    stats.framesSkipped = shared_.framesSkipped;
    stats.framesCorrupt = shared_.framesCorrupt;
    stats.bytes = shared_.bytes;
    stats.bytesCopied = shared_.bytesCopied;
    stats.seconds = static_cast<double>(shared_.lastAt - shared_.firstAt) * 1e-9;
    stats.latency = shared_.latency.snapshot().percentiles();
    stats.stageCapture = shared_.capture.snapshot().percentiles();
    stats.stagePost = shared_.post.snapshot().percentiles();
    stats.stageWire = shared_.wire.snapshot().percentiles();
    stats.stageShow = shared_.show.snapshot().percentiles();
    {
        const std::lock_guard lock(inputMutex_);
        stats.inputToPicture = shared_.inputToPicture.snapshot().percentiles();
    }
    stats.connectToFirstShownMs = static_cast<double>(firstShownAfter_) * 1e-6;
    stats.clockErrorUs = static_cast<double>(shared_.clockError) / 1000.0;
    return stats;
}

FrameReceiver::FrameReceiver(const ReceiverOptions& options) : impl_(std::make_unique<Impl>(options)) {}
FrameReceiver::~FrameReceiver() = default;

Status FrameReceiver::receive(ReceivedFrame& frame, std::chrono::nanoseconds timeout) {
    return impl_->receive(frame, timeout);
}

Status FrameReceiver::receiveNewest(ReceivedFrame& frame, std::chrono::nanoseconds timeout) {
    const Status status = impl_->receive(frame, timeout);
    while (status == Status::Ok && impl_->takeNext(frame)) {
        impl_->countSkipped();
    }
    return status;
}

void FrameReceiver::frameShown(const ReceivedFrame& frame) {
    impl_->frameShown(frame);
}
bool FrameReceiver::inputAllowed() const {
    return impl_->inputAllowed();
}
std::uint64_t FrameReceiver::sendInput(const InputEvent& event) {
    return impl_->sendInput(event);
}
void FrameReceiver::cancel() {
    impl_->cancel();
}
ReceiverStatus FrameReceiver::status() const {
    return impl_->status();
}
StreamStats FrameReceiver::stats() const {
    return impl_->stats();
}
std::vector<std::string> FrameReceiver::listenAddresses() const {
    return impl_->listenAddresses();
}

}  // namespace verbcast
