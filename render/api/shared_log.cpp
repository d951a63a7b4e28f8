#include "render/api/shared_log.h"

#include <spdlog/sinks/base_sink.h>

#include <memory>
#include <mutex>
#include <string>

#include "core/api/log_levels.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

/// No lock: the log passes on one message at a time.
class LibverbcastSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
    void sink_it_(const spdlog::details::log_msg& message) override {
        vc_log(logLevelFrom(message.level),
               std::string(message.payload.data(), message.payload.size()).c_str());
    }
    void flush_() override {}
};

}  // namespace

void shareLogWithLibverbcast() {
    static std::once_flag shared;
    std::call_once(shared, [] {
        setLogLevel(spdlog::level::debug);  // libverbcast drops what the program does not want
        setLogSink(std::make_shared<LibverbcastSink>());
    });
}

}  // namespace verbcast
