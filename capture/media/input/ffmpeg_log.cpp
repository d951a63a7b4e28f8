#include "capture/media/input/ffmpeg_log.h"

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

#include "core/base/log/peer_log.h"

namespace verbcast {
namespace {

struct Work {
    std::set<const std::uint8_t*>* concealed = nullptr;  // of the watch that owns the context
    const std::uint8_t* buffer = nullptr;
};

/// The buffer that each decoding context in the process is filling.
struct Works {
    std::mutex mutex;
    std::map<const void*, Work> byContext;
};

Works& works() {
    static Works instance;
    return instance;
}

thread_local LastFfmpegError* listener = nullptr;

/// Up to the end of the line.
std::string formatted(void* object, int level, const char* format, va_list arguments, bool withPrefix) {
    std::array<char, 512> line{};
    int prefix = withPrefix ? 1 : 0;
    va_list copy;
    va_copy(copy, arguments);
    av_log_format_line2(object, level, format, copy, line.data(), line.size(), &prefix);
    va_end(copy);
    return {line.data(), std::strcspn(line.data(), "\n")};
}

void onLog(void* object, int level, const char* format, va_list arguments) {
    if (std::string_view(format).starts_with("concealing ")) {
        const std::lock_guard lock(works().mutex);
        if (const auto work = works().byContext.find(object); work != works().byContext.end()) {
            work->second.concealed->insert(work->second.buffer);
        }
    }
    if (listener != nullptr && level <= AV_LOG_ERROR) {
        listener->hear(formatted(object, level, format, arguments, false));
    }
    if (level <= av_log_get_level()) {
        // The file decides how often; each of FFmpeg's formats is a kind.
        tryLogPeer(LogCategory::Capture, spdlog::level::err, format, "", "FFmpeg: {}",
                   formatted(object, level, format, arguments, true));
    }
}

/// For the process.
void listen() {
    static std::once_flag installed;
    std::call_once(installed, [] { av_log_set_callback(onLog); });
}

}  // namespace

LastFfmpegError::LastFfmpegError() : outer_(listener) {
    listen();
    listener = this;
}

LastFfmpegError::~LastFfmpegError() {
    listener = outer_;
}

void LastFfmpegError::hear(std::string line) {
    text_ = std::move(line);
    endedEarly_ = endedEarly_ || text_.find("ended prematurely") != std::string::npos;
}

DamageWatch::DamageWatch() {
    listen();
}

DamageWatch::~DamageWatch() {
    const std::lock_guard lock(works().mutex);
    std::erase_if(works().byContext,
                  [this](const auto& entry) { return entry.second.concealed == &concealed_; });
}

void DamageWatch::pictureBegins(const AVCodecContext& context, const AVFrame& frame) {
    const std::lock_guard lock(works().mutex);
    works().byContext[&context] = {&concealed_, frame.buf[0]->data};
    concealed_.erase(frame.buf[0]->data);
}

bool DamageWatch::takeDamage(const AVFrame& picture) {
    const std::lock_guard lock(works().mutex);
    const bool concealed = picture.buf[0] != nullptr && concealed_.erase(picture.buf[0]->data) > 0;
    return concealed || isMarkedDamaged(picture);
}

}  // namespace verbcast
