// Passes viewers' input to the source that they see, on a thread of its own.
#pragma once

#include <memory>
#include <thread>

#include "capture/input_injector.h"
#include "core/base/os/event.h"
#include "core/stream/broadcast.h"

namespace verbcast {

/// Runs until destroyed, or until the injector fails: then logs why and stops. The sender must outlive it.
class InputThread {
  public:
    InputThread(Broadcast& sender, std::unique_ptr<InputInjector> injector);
    ~InputThread();
    InputThread(const InputThread&) = delete;
    InputThread& operator=(const InputThread&) = delete;

  private:
    void run();
    void serve();

    Broadcast& sender_;
    std::unique_ptr<InputInjector> injector_;  // used by the thread only
    Event stop_;
    std::jthread thread_;  // last: it uses everything above
};

}  // namespace verbcast
