// Shows frames when they are due, on no screen.
#pragma once

#include <functional>
#include <thread>

#include "core/base/os/event.h"

namespace verbcast {

/// In a thread of its own, so that writing does not delay showing.
class UnseenDisplay {
  public:
    /// Calls `showDue` when the descriptor is readable, and now and then.
    UnseenDisplay(int descriptor, std::function<void()> showDue);
    ~UnseenDisplay();

  private:
    Event stop_;
    std::jthread thread_;  // last: it uses the member above
};

/// Waits until frames that are still held have been shown, or interruptEvent() is set.
void awaitShown(const std::function<bool()>& anyWaiting);

}  // namespace verbcast
