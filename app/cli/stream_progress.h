// Progress of several streams on one terminal.
#pragma once

#include <mutex>
#include <string>

#include "app/cli/progress_line.h"
#include "app/cli/report_error.h"

namespace verbcast {

/// A ProgressLine shared by several threads.
struct SharedProgress {
    explicit SharedProgress(Verbosity verbosity) : line(verbosity) {}
    std::mutex mutex;  ///< guards line
    ProgressLine line;
};

/// A single stream uses the line alone. One of several prints whole lines that start with its label, and its
/// statistics are shown together with the others'. Not thread-safe.
class StreamProgress {
  public:
    /// `label`: "stream 2: ", or "" for a single stream.
    StreamProgress(SharedProgress& shared, std::string label) : shared_(shared), label_(std::move(label)) {}

    const std::string& label() const { return label_; }

    void state(const std::string& text) {
        if (label_.empty()) {
            const std::lock_guard lock(shared_.mutex);
            shared_.line.state(text);
        } else if (text != lastState_) {
            lastState_ = text;
            news("state", text);
        }
    }
    void news(const std::string& kind, const std::string& text) {
        const std::lock_guard lock(shared_.mutex);
        shared_.line.news(label_ + kind, label_ + text);
    }
    void note(const std::string& text) {
        const std::lock_guard lock(shared_.mutex);
        shared_.line.note(label_ + text);
    }
    /// Call in a catch block: reports the error, and returns its exit code.
    int error() {
        const std::lock_guard lock(shared_.mutex);
        shared_.line.clear();
        return reportCurrentErrorOf(label_);
    }
    bool due() const {
        const std::lock_guard lock(shared_.mutex);
        return label_.empty() && shared_.line.due();
    }
    void statistics(const StreamStats& stats, const std::string& who) {
        const std::lock_guard lock(shared_.mutex);
        shared_.line.statistics(stats, who);
    }

  private:
    SharedProgress& shared_;
    const std::string label_;
    std::string lastState_;
};

}  // namespace verbcast
