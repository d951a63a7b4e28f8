#include "app/pacer.h"

namespace verbcast {

std::chrono::nanoseconds Pacer::position(std::uint64_t index, std::int64_t pts, Rational timeBase) const {
    double seconds = 0;
    if (pacing_ == Pacing::Rate) {
        seconds = static_cast<double>(index) / rate_.value();
    } else {
        seconds = static_cast<double>(pts) * timeBase.value();
    }
    return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

Status Pacer::wait(std::uint64_t index, std::int64_t pts, Rational timeBase, const Event& cancel) {
    if (pacing_ == Pacing::Max) {
        return cancel.isSet() ? Status::Cancelled : Status::Ok;
    }
    const auto now = std::chrono::steady_clock::now();
    const auto offset = position(index, pts, timeBase);
    auto due = origin_ + offset;
    if (!started_ || now - due > std::chrono::seconds(1) || due - now > std::chrono::seconds(10)) {
        started_ = true;
        origin_ = now - offset;
        due = now;
    }
    while (!cancel.isSet()) {
        const auto left = due - std::chrono::steady_clock::now();
        if (left.count() <= 0) {
            return Status::Ok;
        }
        waitReadable({cancel.descriptor()}, left);
    }
    return Status::Cancelled;
}

}  // namespace verbcast
