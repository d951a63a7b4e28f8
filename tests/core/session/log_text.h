// Captures the library's log during its lifetime.
#pragma once

#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <sstream>
#include <string>

#include "core/base/log/log.h"

namespace verbcast::testing {

class LogText {
  public:
    LogText() { setLogSink(std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)); }
    ~LogText() { setLogSink(nullptr); }
    LogText(const LogText&) = delete;
    LogText& operator=(const LogText&) = delete;

    /// Stops capturing and returns the whole text.
    std::string end() {
        setLogSink(nullptr);
        return text_.str();
    }

  private:
    std::ostringstream text_;
};

}  // namespace verbcast::testing
