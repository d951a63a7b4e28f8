// For how long the peers of a lossless source may hold each other up.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/clock.h"
#include "core/session/trust/trust.h"
#include "core/transport/message_channel.h"

namespace verbcast {

/// By whom a connection counts, so that a peer that comes back is the same: the key that only it has, this
/// machine, or its host.
std::string holderOf(const ConnectionDescription& channel, const PeerTrust& trust);

/// A lossless source waits for its slowest viewer. A viewer that takes four frames a second may hold the
/// others up for as long as it likes; what a frame takes longer is charged to its peer. Each peer may spend
/// `limit` at once, and regains 1 % of the time. Whoever has spent it regains its right when all of that is
/// back. So one peer costs the others no more than `limit` and 1 % of their time, however often it connects.
/// A viewer goes when its peer has spent the time and it has itself used a tenth of that: others of the same
/// host may be honest.
///
/// Not thread-safe.
class Patience {
  public:
    explicit Patience(std::chrono::nanoseconds limit) : limit_(limit) {}

    struct Waited {
        std::uint64_t viewer;
        std::string peer;
    };
    /// The source waits for these at `now`, and others could go on; with none, it goes on. Returns the
    /// viewers whose peers have spent their time. Call at each change and at least once a second: in longer
    /// gaps nobody watched, and nobody is charged.
    std::vector<std::uint64_t> wait(const std::vector<Waited>& viewers, TimestampNs now);
    void leave(std::uint64_t viewer) { viewers_.erase(viewer); }
    /// Whether that peer has spent its time, and has not got it back.
    bool spent(const std::string& peer, TimestampNs now);

  private:
    struct Account {
        std::chrono::nanoseconds used{0};
        TimestampNs at = 0;
        bool spent = false;
    };
    Account& accountAt(const std::string& peer, TimestampNs now);

    const std::chrono::nanoseconds limit_;
    std::map<std::string, Account> accounts_;
    struct Viewer {
        std::chrono::nanoseconds used{0};
        std::optional<TimestampNs> since{};  // when the source began to wait for it
    };
    std::map<std::uint64_t, Viewer> viewers_;  // for which the source ever waited, until leave()
    TimestampNs lookedAt_ = 0;
};

}  // namespace verbcast
