#include "app/view/words/kiosk_words.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/os/standard_streams.h"

namespace verbcast {

KioskWords::~KioskWords() {
    summarize(RepeatLimiter::kEnd);
}

bool KioskWords::follow(const std::exception_ptr& failure, const std::optional<ReceiverStatus>& status) {
    if (!failure) {
        retryAt_.reset();
        if (status) {
            state(*status);
        }
        return false;
    }
    this->failure(failure);
    const TimestampNs now = nowNs();
    const bool again = retryAt_ && now >= *retryAt_;
    if (again) {
        retryAt_.reset();
    } else if (!retryAt_) {
        retryAt_ = now + std::chrono::nanoseconds(kKioskRetry).count();
    }
    return again;
}

/// RepeatLimiter limits changes that peers repeat.
void KioskWords::state(const ReceiverStatus& status) {
    summarize(nowNs());
    const bool none = status.state == StreamState::Waiting || status.state == StreamState::Connecting;
    const std::string text = none ? status.text : std::string();
    if (std::exchange(toldState_, status.state) == status.state && toldText_ == text) {
        return;
    }
    toldText_ = text;
    const std::string reason = status.senderReason.empty() ? "" : " (" + status.senderReason + ")";
    if (status.state == StreamState::Lost) {
        tell("signal lost" + reason);
    } else if (status.state == StreamState::Ended) {
        tell("the stream ended" + reason);
    } else {
        tell(status.text);
    }
    if (status.state == StreamState::Streaming) {
        toldFailure_.clear();
    }
}

void KioskWords::opening(const std::string& text) {
    if (!text.empty()) {
        ReceiverStatus status;
        status.state = StreamState::Connecting;
        status.text = text;
        state(status);
    }
}

/// Reports a persisting failure once, not at every retry. Even with --quiet.
void KioskWords::failure(const std::exception_ptr& failure) {
    // Not the windows' words: those are in the user's language.
    std::string text;
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        text = error.what();
        text += error.remedy().empty() ? "" : "\n  try: " + error.remedy();
    } catch (const std::exception& error) {
        text = error.what();
    }
    if (std::exchange(toldFailure_, text) != text) {
        printToStderr("verbcast: {}{}\n  trying again every {} s\n", label_, text, kKioskRetry.count());
    }
    toldState_.reset();
}

void KioskWords::say(const std::string& text) const {
    if (verbosity_ != Verbosity::Quiet) {
        printToStderr("verbcast: {}{}\n", label_, text);
    }
}

void KioskWords::tell(const std::string& text) {
    if (limiter_.admits("state", "", text, nowNs())) {
        say(text);
    }
}

void KioskWords::summarize(TimestampNs now) {
    for (const RepeatLimiter::Summary& summary : limiter_.summaries(now)) {
        say(summary.text);
    }
}

}  // namespace verbcast
