#include "capture/media/damage_watch.h"

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

#include "capture/media/last_ffmpeg_error.h"
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

constexpr char kConcealing[] = "concealing ";

}  // namespace

void DamageWatch::installCallback() {
    static std::once_flag installed;
    std::call_once(installed, [] { av_log_set_callback(&DamageWatch::onLog); });
}

DamageWatch::DamageWatch() {
    installCallback();
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

void DamageWatch::onLog(void* object, int level, const char* format, va_list arguments) {
    if (std::strncmp(format, kConcealing, sizeof kConcealing - 1) == 0) {
        const std::lock_guard lock(works().mutex);
        if (const auto work = works().byContext.find(object); work != works().byContext.end()) {
            work->second.concealed->insert(work->second.buffer);
        }
    }
    LastFfmpegError::hear(object, level, format, arguments);
    if (level <= av_log_get_level()) {
        std::array<char, 512> line{};
        int prefix = 1;
        av_log_format_line2(object, level, format, arguments, line.data(), line.size(), &prefix);
        // The file decides how often; each of FFmpeg's formats is a kind.
        tryLogPeer(LogCategory::Capture, spdlog::level::err, format, "", "FFmpeg: {}",
                   std::string_view(line.data()).substr(0, std::strcspn(line.data(), "\n")));
    }
}

}  // namespace verbcast
