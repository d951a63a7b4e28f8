#include "app/interrupt.h"

#include <csignal>

namespace verbcast {
namespace {

void onSignal(int /*signal*/) {
    interruptEvent().notify();
}

}  // namespace

Event& interruptEvent() {
    static Event event;
    return event;
}

void installInterruptHandler() {
    interruptEvent();  // made here, not in the handler
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
        ::sigaction(signal, &action, nullptr);
    }
    ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace verbcast
