// What a kiosk says on standard error, since its screen shows nothing but the picture; and when it tries
// again.
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

    /// Reports how the stream stands, or why it failed (else null), each change once. Returns true when it is
    /// to be opened again after a failure.
    [[nodiscard]] bool follow(const std::exception_ptr& failure, const std::optional<ReceiverStatus>& status);
    /// Announces the state before anything is tried; "": say it when it is reached.
    void opening(const std::string& text);
    /// Silent with --quiet.
    void say(const std::string& text) const;

  private:
    void state(const ReceiverStatus& status);
    void failure(const std::exception_ptr& failure);
    void tell(const std::string& text);
    void summarize(TimestampNs now);

    Verbosity verbosity_;
    std::string label_;
    RepeatLimiter limiter_{30};           // as many as ProgressLine
    std::optional<TimestampNs> retryAt_;  // nullopt: it has not failed
    std::optional<StreamState> toldState_;
    std::string toldText_;  // the last text said without a stream
    std::string toldFailure_;
};

}  // namespace verbcast
