#include "render/upload/upload_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/log/peer_log.h"

namespace verbcast {
namespace {

constexpr int kWarmUpFrames = 2;
constexpr int kSamples = 8;

}  // namespace

const char* nameOf(UploadPath path) {
    static constexpr std::array<const char*, 5> kNames{"not chosen yet", "direct", "persistent PBO", "pinned",
                                                       "within the GPU"};  // by UploadPath
    return kNames.at(static_cast<std::size_t>(path));
}

UploadChoice::UploadChoice(UploadPath path, std::string reason)
    : path_(path), reason_(std::move(reason)), candidates_{{path}} {}

UploadChoice::UploadChoice(const std::vector<UploadPath>& candidates) {
    for (const UploadPath path : candidates) {
        candidates_.push_back({path});
    }
}

UploadPath UploadChoice::next() const {
    return measuring() ? candidates_[next_].path : path_;
}

void UploadChoice::record(double milliseconds) {
    if (!measuring()) {
        return;
    }
    Candidate& candidate = candidates_[next_];
    // Other load only adds to a path's time: with a busy sender beside it, most frames may be disturbed.
    if (++candidate.frames > kWarmUpFrames) {
        candidate.fastest =
            candidate.frames == kWarmUpFrames + 1 ? milliseconds : std::min(candidate.fastest, milliseconds);
    }
    next_ = (next_ + 1) % candidates_.size();
    if (measured()) {
        decide();
    }
}

void UploadChoice::giveUp(const std::string& why) {
    const UploadPath path = next();
    std::erase_if(candidates_, [&](const Candidate& candidate) { return candidate.path == path; });
    givenUp_ += fmt::format("; {}: {}", nameOf(path), why);
    path_ = UploadPath::Measure;
    next_ = 0;
    if (measured() || candidates_.size() == 1) {
        decide();
    }
}

bool UploadChoice::measured() const {
    return std::ranges::all_of(
        candidates_, [](const Candidate& candidate) { return candidate.frames >= kWarmUpFrames + kSamples; });
}

void UploadChoice::decide() {
    path_ = std::ranges::min_element(candidates_, {}, &Candidate::fastest)->path;
    if (measured()) {
        reason_.clear();
        for (const Candidate& candidate : candidates_) {
            reason_ += fmt::format("{}{}: {:.1f} ms", reason_.empty() ? "" : ", ", nameOf(candidate.path),
                                   candidate.fastest);
        }
        reason_ += fmt::format(" (fastest of {})", kSamples);
    } else {
        reason_ = fmt::format("{}: the only way", nameOf(path_));
    }
    reason_ += givenUp_;
    tellOfPeer(LogCategory::Render, "uploaded", "", "pictures are uploaded: {}", reason_);
}

}  // namespace verbcast
