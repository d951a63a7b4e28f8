#include "core/base/log/peer_log.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "core/base/log/repeat_limiter.h"

namespace verbcast {
namespace {

class PeerLog {
  public:
    void tell(LogCategory category, spdlog::level::level_enum level, std::string_view kind,
              std::string_view who, std::string_view text) {
        if (!log(category).should_log(level)) {
            return;
        }
        if (log(category).should_log(spdlog::level::debug)) {
            log(category).log(level, "{}", text);
            return;
        }
        const std::lock_guard lock(mutex_);
        const TimestampNs now = nowNs();
        summarizeLocked(now);
        const auto& [key, _] = *places_.try_emplace(std::string(kind), category, level).first;
        if (limiter_.admits(key, who, text, now)) {
            log(category).log(level, "{}", text);
        }
    }

    void summarize(TimestampNs now) {
        const std::lock_guard lock(mutex_);
        summarizeLocked(now);
    }

    Deadline next() {
        const std::lock_guard lock(mutex_);
        const auto at = limiter_.nextSummaryAt();
        return at ? Deadline::in(std::chrono::nanoseconds(std::max<TimestampNs>(*at - nowNs(), 0)))
                  : Deadline::never();
    }

  private:
    void summarizeLocked(TimestampNs now) {
        for (const auto& [kind, text] : limiter_.summaries(now)) {
            const auto& [category, level] = places_.at(kind);
            log(category).log(level, "{}", text);
        }
    }

    std::mutex mutex_;  // guards everything below
    RepeatLimiter limiter_;
    std::map<std::string, std::tuple<LogCategory, spdlog::level::level_enum>, std::less<>>
        places_;  // by kind
};

/// Never destroyed: threads of a program that calls exit() may still log.
PeerLog& peerLog() {
    static auto& made = *new PeerLog;
    return made;
}

}  // namespace

void logPeer(LogCategory category, spdlog::level::level_enum level, std::string_view kind,
             std::string_view who, std::string_view text) {
    peerLog().tell(category, level, kind, who, text);
}

void summarizePeers() {
    peerLog().summarize(nowNs());
}

void summarizeAllPeers() {
    peerLog().summarize(RepeatLimiter::kEnd);
}

Deadline nextPeerSummary() {
    return peerLog().next();
}

}  // namespace verbcast
