#include "render/upload_choice.h"

#include <algorithm>
#include <cstdio>

namespace verbcast {
namespace {

constexpr int kWarmUpFrames = 4;
constexpr std::size_t kSamplesEach = 8;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
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
    const double direct = median(direct_);
    const double persistent = median(persistent_);
    path_ = direct <= persistent ? UploadPath::Direct : UploadPath::PersistentPbo;
    char text[120];
    std::snprintf(text, sizeof text, "direct: %.1f ms, persistent PBO: %.1f ms (median of %zu)", direct,
                  persistent, kSamplesEach);
    reason_ = text;
}

}  // namespace verbcast
