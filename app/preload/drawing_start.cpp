#include "app/preload/drawing_start.h"

#include <sys/resource.h>

#include <algorithm>

namespace verbcast {
namespace {

struct ThreadUse {
    TimestampNs computed;
    long waits;
};

ThreadUse useOfThisThread() {
    rusage use{};
    ::getrusage(RUSAGE_THREAD, &use);
    const auto nanoseconds = [](const timeval& time) {
        return TimestampNs{time.tv_sec} * 1'000'000'000 + TimestampNs{time.tv_usec} * 1000;
    };
    return {nanoseconds(use.ru_utime) + nanoseconds(use.ru_stime), use.ru_nvcsw};
}

}  // namespace

void DrawingStart::swapped() {
    const ThreadUse use = useOfThisThread();
    thread_ = std::this_thread::get_id();
    swappedAt_ = nowNs();
    computed_ = use.computed;
    waits_ = use.waits;
}

TimestampNs DrawingStart::at(TimestampNs now) const {
    if (now - swappedAt_ > kDrawsOnDemand) {
        return now;
    }
    const ThreadUse use = useOfThisThread();
    if (thread_ != std::this_thread::get_id() || use.waits == waits_) {
        return swappedAt_;
    }
    return std::max(swappedAt_, now - (use.computed - computed_) / 2);
}

}  // namespace verbcast
