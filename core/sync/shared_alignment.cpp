#include "core/sync/shared_alignment.h"

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

constexpr std::uint32_t kFreeSlots = 4;  // as many as FrameAlignment keeps free

}  // namespace

FrameAlignment::StreamId SharedAlignment::add(std::uint32_t slots, Show show) {
    const std::lock_guard showing(showing_);
    const std::lock_guard lock(mutex_);
    const auto id = alignment_.add(slots > kFreeSlots ? slots - kFreeSlots : 1);
    shows_.emplace(id, std::move(show));
    return id;
}

void SharedAlignment::remove(FrameAlignment::StreamId id) {
    const std::lock_guard showing(showing_);
    const std::lock_guard lock(mutex_);
    alignment_.remove(id);
    shows_.erase(id);
    setTimer();
}

/// Call with mutex_ held.
void SharedAlignment::setTimer() {
    const std::optional<TimestampNs> due = alignment_.due();
    timer_.set(due ? std::max(*due, TimestampNs{1}) : 0);
}

void SharedAlignment::showDue() {
    const std::lock_guard showing(showing_);
    std::vector<FrameAlignment::Shown> due;
    {
        const std::lock_guard lock(mutex_);
        due = alignment_.take(nowNs());
        setTimer();
    }
    for (FrameAlignment::Shown& each : due) {
        shows_.at(each.stream)(std::move(each.frame));
    }
}

bool SharedAlignment::anyWaiting() const {
    const std::lock_guard lock(mutex_);
    return alignment_.due().has_value();
}

AlignmentStats SharedAlignment::stats() const {
    const std::lock_guard lock(mutex_);
    return alignment_.stats();
}

AlignedStream::AlignedStream(SharedAlignment& alignment, std::uint32_t slots, SharedAlignment::Show show)
    : alignment_(alignment), id_(alignment.add(slots, std::move(show))) {}

AlignedStream::~AlignedStream() {
    alignment_.remove(id_);
}

void AlignedStream::put(ReceivedFrame frame) {
    const std::lock_guard lock(alignment_.mutex_);
    alignment_.alignment_.put(id_, std::move(frame), nowNs());
    alignment_.setTimer();
}

void AlignedStream::expectNone() {
    const std::lock_guard lock(alignment_.mutex_);
    alignment_.alignment_.expectNone(id_);
    alignment_.setTimer();
}

std::uint64_t AlignedStream::skipped() const {
    const std::lock_guard lock(alignment_.mutex_);
    return alignment_.alignment_.skipped(id_);
}

StreamAlignment AlignedStream::stats() const {
    const std::lock_guard lock(alignment_.mutex_);
    return alignment_.alignment_.statsOf(id_);
}

}  // namespace verbcast
