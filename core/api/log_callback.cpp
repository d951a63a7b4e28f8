// The C interface on the core's log: messages for the program's own function.
#include <spdlog/sinks/base_sink.h>

#include <exception>
#include <memory>
#include <string>

#include "core/api/log_levels.h"
#include "core/api/verbcast.h"
#include "core/base/log/log.h"

using namespace verbcast;

namespace {

/// Not locked: the log hands over one message at a time.
class CallbackSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
  public:
    CallbackSink(vc_log_callback callback, void* user) : callback_(callback), user_(user) {}

  private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        const std::string text(message.payload.data(), message.payload.size());
        callback_(user_, logLevelFrom(message.level), text.c_str());
    }
    void flush_() override {}

    vc_log_callback callback_;
    void* user_;
};

}  // namespace

extern "C" void vc_set_log(vc_log_callback callback, void* user, vc_log_level level) {
    try {
        setLogSink(nullptr);  // the previous callback gets nothing that the new level lets through
        setLogLevel(logLevelFrom(level));
        if (callback != nullptr) {
            setLogSink(std::make_shared<CallbackSink>(callback, user));
        }
    } catch (const std::exception&) {
        // No memory for it: the library stays silent.
    }
}

extern "C" void vc_log(vc_log_level level, const char* message) {
    if (message != nullptr) {
        log().log(logLevelFrom(level), "{}", message);  // catches what a sink throws
    }
}
