#include "app/window/streams/stream_callers.h"

#include <QSocketNotifier>
#include <chrono>
#include <utility>

namespace verbcast {
namespace {

// Arbitrary: an event ends this wait when the window closes.
constexpr std::chrono::hours kUntilSomebodyCalls{1};

}  // namespace

StreamCallers::StreamCallers(const StreamAcceptorOptions& options)
    : acceptor_(options),
      notifier_(std::make_unique<QSocketNotifier>(wake_.descriptor(), QSocketNotifier::Read)) {
    connect(notifier_.get(), &QSocketNotifier::activated, this, &StreamCallers::onWake);
    thread_ = std::jthread([this] { run(); });
}

StreamCallers::~StreamCallers() {
    cancel_.notify();
}

void StreamCallers::run() {
    try {
        while (!cancel_.isSet()) {
            if (auto stream = acceptor_.accept(kUntilSomebodyCalls, cancel_)) {
                const std::lock_guard lock(mutex_);
                fresh_.push_back(std::move(stream));
                wake_.notify();
            }
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        wake_.notify();
    }
}

void StreamCallers::onWake() {
    wake_.clear();
    std::vector<std::shared_ptr<IncomingStream>> fresh;
    std::exception_ptr failure;
    {
        const std::lock_guard lock(mutex_);
        fresh.swap(fresh_);
        failure = std::exchange(failure_, nullptr);
    }
    for (auto& stream : fresh) {
        Q_EMIT came(std::move(stream));
    }
    if (failure) {
        Q_EMIT failed(failure);
    }
}

}  // namespace verbcast
