#include "app/commands/view/unseen_display.h"

#include <chrono>
#include <utility>

#include "app/host/interrupt.h"
#include "core/base/os/early_wake.h"
#include "core/sync/frame_lock_stream.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kStopLook = 100ms;
// Period while the last frames are shown.
constexpr auto kLastFramesLook = 5ms;

}  // namespace

UnseenDisplay::UnseenDisplay(int descriptor, std::function<void()> showDue)
    : thread_([this, descriptor, showDue = std::move(showDue)](const std::stop_token& stop) {
          wakeExactly();
          while (!stop.stop_requested()) {
              waitReadable({descriptor, stop_.descriptor()}, kStopLook);
              showDue();
          }
      }) {}

UnseenDisplay::~UnseenDisplay() {
    thread_.request_stop();
    stop_.notify();
}

void awaitShown(const std::function<bool()>& anyWaiting) {
    while (anyWaiting() && !interruptEvent().isSet()) {
        waitReadable({interruptEvent().descriptor()}, kLastFramesLook);
    }
}

}  // namespace verbcast
