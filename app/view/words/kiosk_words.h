// A kiosk's messages on standard error: its screen shows nothing but the picture.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <string>

#include "app/cli/stream_options.h"
#include "core/base/log/repeat_limiter.h"

namespace verbcast {

/// After a failure, such as an address of a network that is not up yet, a kiosk waits this long rather than
/// spin.
inline constexpr std::chrono::seconds kKioskRetry{2};

/// Not thread-safe.
class KioskWords {
  public:
    /// `label` comes before each text, as in "HDMI-A-1: ".
    explicit KioskWords(Verbosity verbosity, std::string label = {})
        : verbosity_(verbosity), label_(std::move(label)) {}
    ~KioskWords();

    /// Reports each change once; RepeatLimiter limits changes that peers repeat.
    void state(const ReceiverStatus& status);
    /// Announces the state before anything is tried; "": say it when it is reached.
    void opening(const std::string& text);
    /// Reports a persisting failure once, not at every retry. Even with --quiet.
    void failure(const std::exception_ptr& failure);
    /// Silent with --quiet.
    void say(const std::string& text) const;

  private:
    void tell(const std::string& text);
    void summarize(TimestampNs now);

    Verbosity verbosity_;
    std::string label_;
    RepeatLimiter limiter_{30};  // as many as ProgressLine
    std::optional<StreamState> toldState_;
    std::string toldText_;  // the last text said without a stream
    std::string toldFailure_;
};

}  // namespace verbcast
