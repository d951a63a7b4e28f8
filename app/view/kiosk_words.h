// What a kiosk says on standard error: on its screen there is nothing but the picture.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <string>

#include "app/cli/stream_options.h"

namespace verbcast {

/// Used by one thread.
class KioskWords {
  public:
    /// `label` comes before each text, as in "HDMI-A-1: ".
    explicit KioskWords(Verbosity verbosity, std::string label = {})
        : verbosity_(verbosity), label_(std::move(label)) {}

    /// Once for each change.
    void state(const ReceiverStatus& status);
    /// A failure that stays is told once, not every time that it is met again. Even where quiet.
    void failure(const std::exception_ptr& failure, std::chrono::seconds retryAfter);
    /// Unless quiet.
    void say(const std::string& text) const;

  private:
    Verbosity verbosity_;
    std::string label_;
    std::optional<StreamState> toldState_;
    std::string toldText_;  // of a state without a stream
    std::string toldFailure_;
};

}  // namespace verbcast
