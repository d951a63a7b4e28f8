// Collects the library's log messages.
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <string>
#include <vector>

#include "core/base/log/log.h"

namespace verbcast::testing {

/// For setLogSink(). No lock: the logger passes on one message at a time.
class KeptLog final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
  public:
    std::vector<std::string> texts;

  private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        texts.emplace_back(message.payload.data(), message.payload.size());
    }
    void flush_() override {}
};

}  // namespace verbcast::testing
