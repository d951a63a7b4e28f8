// The part of the C interface that both ends share: errors, versions, messages, names of formats.
#include "core/api/common.h"

#include <spdlog/sinks/base_sink.h>

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "core/api/calls.h"
#include "core/api/formats.h"
#include "core/api/log_levels.h"
#include "core/api/private.h"
#include "core/base/log/log.h"
#include "core/base/os/clock.h"
#include "core/base/version.h"
#include "core/video/pixel_format.h"

using namespace verbcast;

static_assert(static_cast<int>(VC_PIXEL_V210) == static_cast<int>(PixelFormat::v210) &&
              static_cast<int>(VC_PIXEL_GRAY) == static_cast<int>(PixelFormat::gray));
static_assert(static_cast<int>(VC_ERROR_CORRUPT) == static_cast<int>(ErrorKind::Corrupt));

namespace {

/// Keeps the text before the newest, which the caller may still read, or pass to the next call.
struct LastError {
    std::array<std::string, 2> texts;
    std::size_t newest = 0;
    vc_error_kind kind = VC_NO_ERROR;
};
thread_local LastError lastError;
thread_local std::deque<std::string> lent;

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

namespace verbcast {

void setLastError(std::string text, vc_error_kind kind) noexcept {
    LastError& last = lastError;
    if (!last.texts[last.newest].empty()) {
        last.newest = 1 - last.newest;
    }
    last.texts[last.newest] = std::move(text);
    last.kind = kind;
}

Lent::Lent() {
    lent.clear();
}

const char* Lent::operator()(std::string text) {
    return lent.emplace_back(std::move(text)).c_str();
}

vc_status statusFrom(Status status) {
    switch (status) {
        case Status::Ok:
            return VC_OK;
        case Status::Busy:
            return VC_BUSY;
        case Status::Closed:
            return VC_CLOSED;
        case Status::Cancelled:
            return VC_INTERRUPTED;
        case Status::TimedOut:
            break;
    }
    return VC_TIMEOUT;
}

}  // namespace verbcast

extern "C" {

const char* vc_error(void) {
    return lastError.texts[lastError.newest].c_str();
}

vc_error_kind vc_error_code(void) {
    return lastError.kind;
}

void vcp_set_error(const char* text, vc_error_kind kind) {
    setLastError(text != nullptr ? text : "", kind);
}

const char* vc_version(void) {
    return kVersion;
}

void vc_set_log(vc_log_callback callback, void* user, vc_log_level level) {
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

void vcp_log(vc_log_level level, const char* message) {
    if (message != nullptr) {
        log().log(logLevelFrom(level), "{}", message);  // catches what a sink throws
    }
}

int64_t vc_now(void) {
    return nowNs();
}

const char* vc_pixel_format_name(vc_pixel_format format) {
    const auto number = static_cast<unsigned>(format);
    const auto known = number <= UINT8_MAX ? pixelFormatFromWire(static_cast<std::uint8_t>(number))
                                           : std::optional<PixelFormat>();
    return known ? pixelFormatName(*known).data() : nullptr;  // of literals, which end with 0
}

vc_pixel_format vc_pixel_format_by_name(const char* name) {
    const auto known = name != nullptr ? pixelFormatByName(name) : std::nullopt;
    return known ? static_cast<vc_pixel_format>(*known) : VC_PIXEL_NONE;
}

const char* vc_describe_format(const vc_video_format* format) {
    return guarded<const char*>(nullptr, [&] {
        require(format != nullptr, "vc_describe_format: a format expected, NULL given");
        return Lent()(describe(formatFrom(readSized<vc_video_format>(format))));
    });
}

}  // extern "C"
