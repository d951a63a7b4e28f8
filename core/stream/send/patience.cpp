#include "core/stream/send/patience.h"

#include <algorithm>
#include <utility>

#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kFree = 250ms;  // per frame
constexpr int kRegains = 100;                      // a hundredth of the time
constexpr TimestampNs kLongestGap = 1'000'000'000;
constexpr std::size_t kMaxAccounts = 4096;

}  // namespace

std::string holderOf(const ConnectionDescription& channel, const PeerTrust& trust) {
    if (!trust.keyName.empty() && trust.keyName != kSharedKeyName) {
        return "key " + trust.keyName;
    }
    return channel.place == PeerPlace::OtherHost ? hostOfAddress(channel.peer) : "this machine";
}

Patience::Account& Patience::accountAt(const std::string& peer, TimestampNs now) {
    if (accounts_.size() >= kMaxAccounts && !accounts_.contains(peer)) {
        accounts_.erase(std::ranges::min_element(
            accounts_, {}, [](const auto& entry) { return std::pair(entry.second.spent, entry.second.at); }));
    }
    Account& account = accounts_[peer];
    const std::chrono::nanoseconds passed(account.at == 0 ? 0 : now - account.at);
    account.used = std::max(account.used - passed / kRegains, 0ns);
    account.spent = account.spent && account.used > 0ns;
    account.at = now;
    return account;
}

bool Patience::spent(const std::string& peer, TimestampNs now) {
    return accounts_.contains(peer) && accountAt(peer, now).spent;
}

std::vector<std::uint64_t> Patience::wait(const std::vector<Waited>& viewers, TimestampNs now) {
    const TimestampNs before = std::exchange(lookedAt_, now);
    for (auto& [id, viewer] : viewers_) {
        if (now - before > kLongestGap || std::ranges::count(viewers, id, &Waited::viewer) == 0) {
            viewer.since.reset();
        }
    }
    std::vector<std::uint64_t> exhausted;
    for (const Waited& each : viewers) {
        Viewer& viewer = viewers_[each.viewer];
        if (!viewer.since) {
            viewer.since = now;
            continue;
        }
        const TimestampNs from = std::max(before, *viewer.since + kFree.count());
        const std::chrono::nanoseconds charged(std::max<TimestampNs>(now - from, 0));
        Account& account = accountAt(each.peer, now);
        account.used += charged;
        viewer.used += charged;
        account.spent |= account.used >= limit_;
        if (account.spent && viewer.used >= limit_ / 10) {
            exhausted.push_back(each.viewer);
        }
    }
    return exhausted;
}

}  // namespace verbcast
