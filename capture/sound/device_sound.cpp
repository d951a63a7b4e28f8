#include "capture/sound/device_sound.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/log/log.h"

namespace verbcast {

std::vector<std::string> DeviceSound::notes() const {
    const std::lock_guard lock(mutex_);
    return notes_;
}

void DeviceSound::note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(notes_, text) == notes_.end()) {
        log(LogCategory::Capture).debug("{}", text);
        notes_.push_back(text);
    }
}

Status DeviceSound::read(CapturedSound& block) {
    SoundFormat format;
    const Status status = intake_.read(block, format);
    if (const auto unsent = intake_.unsent()) {
        note("the sound device gives what cannot be sent: " + soundFormatProblem(*unsent).value_or(""));
    }
    if (status != Status::Ok) {
        return status;
    }
    if (format != format_ && format_.rate != 0) {
        note(fmt::format("the sound device has changed from {} to {}", verbcast::describe(format_),
                         verbcast::describe(format)));
    }
    format_ = format;
    if (intake_.lost() > 0) {
        note("sound was lost, because it was not read in time");
    }
    return Status::Ok;
}

}  // namespace verbcast
