#include "core/session/service_loop.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/base/os/spin.h"

namespace verbcast {
namespace {

// Bounds a consumer's sleep, in case the peer corrupts the word it sleeps on.
constexpr std::chrono::nanoseconds kMaxWait = std::chrono::milliseconds(500);

}  // namespace

void ServiceLoop::stop(std::string_view reason) noexcept {
    std::call_once(stopOnce_, [&] {
        try {
            stopReason_ = reason;
        } catch (const std::bad_alloc&) {
            // It ends without a reason, then: destructors stop links, so this must not throw.
        }
        stopping_ = true;
        stop_.notify();
    });
}

void ServiceLoop::serveUntilOver() {
    std::unique_lock serving(serving_);
    running_ = true;
    try {
        loop(serving);
    } catch (...) {
        running_ = false;
        throw;
    }
    running_ = false;
}

void ServiceLoop::loop(std::unique_lock<std::mutex>& serving) {
    TimestampNs lastWork = nowNs();
    Spinner spinner;
    bool called = true;  // not only the time has ended its last sleep
    while (!over()) {
        const bool worked = round(!consumerSleeps_);
        if (over()) {
            return;
        }
        const TimestampNs now = nowNs();
        keepTime(now);
        if (over()) {
            return;
        }
        if (stopping_) {
            endWith(stopReason_);
            return;
        }
        if (consumerServes_) {
            watch(now, serving);
        } else if (worked) {
            lastWork = called ? now : lastWork;
        } else if ((poll_ && !mayBeServed()) || (spinHelps() && now - lastWork < kSpin)) {
            spinner.turn();
        } else {
            called = sleep(now, serving);
        }
        if (assistFailure_) {
            std::rethrow_exception(std::exchange(assistFailure_, nullptr));
        }
    }
}

bool ServiceLoop::round(bool ownerAwake) {
    bool worked = drain(ownerAwake);
    if (worked && !ownerAwake) {
        sharedRing()->rouse();  // it may be what the consumer waits for
    }
    if (!over()) {
        worked |= step();
    }
    return worked;
}

bool ServiceLoop::waitForAnything(TimestampNs now, std::unique_lock<std::mutex>& serving) {
    sleepDescriptors_.assign({wake_.descriptor(), stop_.descriptor()});
    const std::size_t own = sleepDescriptors_.size();
    addDescriptors(sleepDescriptors_);
    addExtraDescriptors(sleepDescriptors_);
    const std::chrono::nanoseconds longest = untilNextBeat(now);
    std::uint32_t readable = 0;
    serving.unlock();
    const bool woke = waitReadable(std::span<const int>(sleepDescriptors_), longest, &readable);
    serving.lock();
    // When nothing woke it, what is too little to end a sleep may have come.
    slept(woke ? readable >> own : ~0U);
    return woke;
}

bool ServiceLoop::sleep(TimestampNs now, std::unique_lock<std::mutex>& serving) {
    wake_.arm();
    armExtra();
    const bool called = step() || !readyToSleep() || waitForAnything(now, serving);
    // A consumer that has taken over in the meantime has armed them for itself.
    if (!consumerServes_) {
        disarmExtra();
    }
    wake_.disarm();
    return called;
}

/// While a consumer serves: watches everything but the frames.
void ServiceLoop::watch(TimestampNs now, std::unique_lock<std::mutex>& serving) {
    wake_.arm();
    if (consumerSleeps_) {
        disarmExtra();  // clears what ended the last wait
        armExtra();
    }
    if (!consumerSleeps_ || !step()) {
        if (waitForAnything(now, serving)) {
            sharedRing()->descriptorWoke();
        }
    }
    wake_.disarm();
}

// The functions below serve on threads other than the loop's own. They do not look at the clock: heartbeats
// are left to the loop's thread.

template <typename Work>
void ServiceLoop::assist(Work&& work) {
    try {
        work();
    } catch (...) {
        assistFailure_ = std::current_exception();
    }
    if (over() || assistFailure_) {
        wake();
    }
}

void ServiceLoop::serveSubmitter() {
    // Send first: the peer's news can wait until that is out.
    step();
    if (!over() && drain(false) && !over()) {
        step();
    }
}

void ServiceLoop::serveNow() {
    if (mayBeServed()) {
        const std::unique_lock serving(serving_, std::try_to_lock);
        if (serving && available()) {
            assist([this] { serveSubmitter(); });
            if (!available() || readyToSleep()) {
                return;
            }
        }
    }
    wake();
}

template <typename Work>
void ServiceLoop::serveIfIdle(Work&& work) {
    if (!mayBeServed()) {
        return;
    }
    const std::unique_lock serving(serving_, std::try_to_lock);
    if (serving && available()) {
        assist(work);
    }
}

void ServiceLoop::serveMeanwhile() {
    serveIfIdle([this] { serveSubmitter(); });
}

void ServiceLoop::serveAhead(TimestampNs due) {
    serveIfIdle([this, due] {
        sharedRing()->expect(due);
        serveSubmitter();
    });
}

Served ServiceLoop::serve() {
    std::unique_lock serving(serving_, std::defer_lock);
    if (!poll_) {
        serving.lock();
    } else if (!serving.try_lock()) {
        return Served::Idle;  // it looks again at once, rather than sleep behind the loop's own thread
    }
    if (!available() || alone_) {
        return Served::Ended;
    }
    if (!consumerServes_) {
        consumerServes_ = true;
        disarmExtra();  // what the loop's thread has armed for its sleep
        wake();
    }
    const bool wasAsleep = std::exchange(consumerSleeps_, false);
    bool worked = false;
    assist([&] {
        // A sleeper was woken by the frame, so take that first: there was nothing else to do before.
        worked = !wasAsleep && step();
        worked |= !over() && takeOne();
    });
    if (wasAsleep) {
        disarmExtra();
    }
    return worked ? Served::Worked : Served::Idle;
}

void ServiceLoop::rouseConsumer() noexcept {
    if (SharedRing* ring = sharedRing()) {
        roused_ = true;
        ring->rouse();
    }
}

void ServiceLoop::serveNoConsumer() {
    const std::lock_guard serving(serving_);
    serveAlone();
}

void ServiceLoop::serveAlone() {
    alone_ = true;
    if (std::exchange(consumerServes_, false)) {
        if (std::exchange(consumerSleeps_, false)) {
            disarmExtra();
            sharedRing()->rouse();
        }
        wake();
    }
}

bool ServiceLoop::awaitNews(std::chrono::nanoseconds timeout) {
    SharedRing* ring = sharedRing();
    {
        const std::lock_guard serving(serving_);
        if (!available() || !consumerServes_) {
            return false;
        }
        armExtra();
        consumerSleeps_ = true;
        bool idle = false;
        assist([&] { idle = !step() && !over() && ring->readyToWait(); });
        if (!idle) {
            return true;
        }
    }
    // Whoever rouses sets this first; armed above, the ring notices what comes from here on.
    if (roused_.exchange(false)) {
        return true;
    }
    ring->wait(std::min(timeout, kMaxWait));
    return true;
}

}  // namespace verbcast
