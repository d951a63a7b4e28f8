#include "app/host/interrupt.h"

#include <atomic>
#include <csignal>

#include "app/host/process.h"
#include "core/base/os/clock.h"

namespace verbcast {
namespace {

constexpr TimestampNs kOneInterrupt = 500'000'000;
std::atomic<TimestampNs> firstAt{0};
std::atomic<const Event*> secondEvent{nullptr};  // instead of the process's end

void onSignal(int signal) {
    const TimestampNs now = nowNs();
    TimestampNs first = 0;
    if (firstAt.compare_exchange_strong(first, now)) {
        interruptEvent().notify();
    } else if (now - first <= kOneInterrupt) {
        return;
    } else if (const Event* const second = secondEvent) {
        second->notify();
    } else {
        ::signal(signal, SIG_DFL);
        ::raise(signal);  // takes effect when this handler returns
    }
}

}  // namespace

bool isIgnored(int signal) {
    struct sigaction now {};
    return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

Event& interruptEvent() {
    static Event event;
    return event;
}

Event& secondInterruptEvent() {
    static Event event;
    secondEvent = &event;
    return event;
}

void letSecondInterruptEnd() {
    secondEvent = nullptr;
}

void installInterruptHandler() {
    interruptEvent();  // construct it here, not in the handler
    struct sigaction action {};
    action.sa_handler = onSignal;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        if (!isIgnored(signal)) {
            ::sigaction(signal, &action, nullptr);
        }
    }
    ignoreHere(SIGPIPE);
}

}  // namespace verbcast
