#include "render/upload_choice.h"

#include <algorithm>
#include <cstdio>

#include "core/base/log.h"

namespace verbcast {
namespace {

constexpr int kWarmUpFrames = 4;
constexpr std::size_t kSamplesEach = 8;

// Other load only adds to a path's time: with a busy sender beside it, most frames may be disturbed.
double fastest(const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
}

}  // namespace

UploadChoice::UploadChoice(UploadPath path, std::string reason) : path_(path), reason_(std::move(reason)) {}

UploadPath UploadChoice::next() const {
    if (!measuring()) {
        return path_;
    }
    return frames_ % 2 == 0 ? UploadPath::Direct : UploadPath::PersistentPbo;
}

void UploadChoice::record(double milliseconds) {
    if (!measuring()) {
        return;
    }
    const auto path = next();
    if (++frames_ <= kWarmUpFrames) {
        return;
    }
    (path == UploadPath::Direct ? direct_ : persistent_).push_back(milliseconds);
    if (direct_.size() == kSamplesEach && persistent_.size() == kSamplesEach) {
        decide();
    }
}

void UploadChoice::decide() {
    const double direct = fastest(direct_);
    const double persistent = fastest(persistent_);
    path_ = direct <= persistent ? UploadPath::Direct : UploadPath::PersistentPbo;
    char text[120];
    std::snprintf(text, sizeof text, "direct: %.1f ms, persistent PBO: %.1f ms (fastest of %zu)", direct,
                  persistent, kSamplesEach);
    reason_ = text;
    log(LogCategory::Render).info("pictures are uploaded: {}", reason_);
}

}  // namespace verbcast
