#include "core/sync/kept_clock.h"

#include <sys/timex.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include "core/base/os/folder.h"

namespace verbcast {
namespace {

constexpr TimestampNs kOneSecond = 1'000'000'000;
constexpr TimestampNs kProcessesPeriod = 10 * kOneSecond;
constexpr int kReadings = 5;

TimestampNs readClock(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return time.tv_sec * kOneSecond + time.tv_nsec;
}

/// Uses the least interrupted of several readings.
TimestampNs realtimeMinusMonotonic() {
    TimestampNs best = std::numeric_limits<TimestampNs>::max();
    TimestampNs offset = 0;
    for (int i = 0; i < kReadings; ++i) {
        const TimestampNs before = readClock(CLOCK_MONOTONIC);
        const TimestampNs wall = readClock(CLOCK_REALTIME);
        const TimestampNs after = readClock(CLOCK_MONOTONIC);
        if (after - before < best) {
            best = after - before;
            offset = wall - (before + (after - before) / 2);
        }
    }
    return offset;
}

bool daemonRuns(const std::string& processes) {
    return std::ranges::any_of(namesIn(processes), [&](const std::string& process) {
        std::string name;
        std::ifstream comm(processes + "/" + process + "/comm");
        return std::getline(comm, name) && (name == "phc2sys" || name == "ptp4l");
    });
}

}  // namespace

bool kernelClockSynchronised() {
    timex state{};
    return ::adjtimex(&state) != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

bool KeptClock::looking() const {
    return looking_.valid() && looking_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

void KeptClock::lookForDaemon(TimestampNs now) {
    if (looking_.valid() && !looking()) {
        const bool ran = std::exchange(runs_, looking_.get());
        read_ = read_ && ran == runs_;
    }
    if (looking_.valid() || (looked_ && now - lookedForAt_ < kProcessesPeriod)) {
        return;
    }
    looked_ = true;
    lookedForAt_ = now;
    try {
        looking_ = std::async(std::launch::async, [processes = processes_] {
            try {
                return daemonRuns(processes);
            } catch (const std::exception&) {
                return false;  // no memory
            }
        });
    } catch (const std::system_error&) {
        runs_ = false;  // no thread
    }
}

TimestampNs KeptClock::wallOffset(TimestampNs now) {
    lookForDaemon(now);
    if (!read_ || now - readAt_ >= kOneSecond) {
        read_ = true;
        readAt_ = now;
        offset_ = runs_ && synchronised_() ? realtimeMinusMonotonic() : 0;
    }
    return offset_;
}

}  // namespace verbcast
