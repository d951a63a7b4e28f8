#include "capture/input_thread.h"

#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/log/log.h"

namespace verbcast {

InputThread::InputThread(Broadcast& sender, std::unique_ptr<InputInjector> injector)
    : sender_(sender), injector_(std::move(injector)), thread_([this] { run(); }) {}

InputThread::~InputThread() {
    stop_.notify();
}

void InputThread::run() {
    try {
        serve();
    } catch (const Error& error) {
        log(LogCategory::Capture).error("viewers' input is no longer accepted: {}", error.what());
    }
    injector_.reset();  // releases the keys and buttons that viewers hold down
}

void InputThread::serve() {
    std::vector<ViewerInput> events;
    ArmedEvent& available = sender_.inputAvailable();
    while (!stop_.isSet()) {
        events.clear();
        sender_.takeInput(events);
        if (events.empty()) {
            available.arm();
            sender_.takeInput(events);
            if (events.empty()) {
                waitReadable({available.descriptor(), stop_.descriptor()}, Deadline::never());
            }
            available.disarm();
        }
        injector_->apply(events);
    }
}

}  // namespace verbcast
