// The C interface on the core's log: messages for the program's own function.
#include <spdlog/sinks/base_sink.h>

#include <exception>
#include <memory>
#include <string>

#include "core/api/verbcast.h"
#include "core/base/log.h"

using namespace verbcast;

namespace {

vc_log_level levelFrom(spdlog::level::level_enum level) {
    return level >= spdlog::level::err    ? VC_LOG_ERROR
           : level == spdlog::level::warn ? VC_LOG_WARNING
           : level == spdlog::level::info ? VC_LOG_INFO
                                          : VC_LOG_DEBUG;
}

spdlog::level::level_enum levelFrom(vc_log_level level) {
    return level <= VC_LOG_ERROR     ? spdlog::level::err
           : level == VC_LOG_WARNING ? spdlog::level::warn
           : level == VC_LOG_INFO    ? spdlog::level::info
                                     : spdlog::level::debug;
}

/// Not locked: the log hands over one message at a time.
class CallbackSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
  public:
    CallbackSink(vc_log_callback callback, void* user) : callback_(callback), user_(user) {}

  private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        const std::string text(message.payload.data(), message.payload.size());
        callback_(user_, levelFrom(message.level), text.c_str());
    }
    void flush_() override {}

    vc_log_callback callback_;
    void* user_;
};

}  // namespace

extern "C" void vc_set_log(vc_log_callback callback, void* user, vc_log_level level) {
    try {
        setLogSink(nullptr);  // the previous callback gets nothing that the new level lets through
        setLogLevel(levelFrom(level));
        if (callback != nullptr) {
            setLogSink(std::make_shared<CallbackSink>(callback, user));
        }
    } catch (const std::exception&) {
        // No memory for it: the library stays silent.
    }
}
