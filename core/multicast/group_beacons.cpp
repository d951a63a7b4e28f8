#include "core/multicast/group_beacons.h"

#include "core/base/log/peer_log.h"
#include "core/session/trust/beacon_proof.h"

namespace verbcast {
namespace {

// Looks at no more of others' beacons each time: anybody can send any number of them.
constexpr int kHeardAtOnce = 16;

}  // namespace

GroupBeacons::GroupBeacons(const multicast::GroupAddress& address, const multicast::GroupInterface& interface,
                           int ttl, std::uint64_t stream, const std::string& name,
                           const std::optional<SessionKey>& key)
    : address_(address),
      stream_(stream),
      name_(name),
      key_(key),
      sender_(address, interface, ttl),
      unsent_("announcements", address.text()),
      ear_(multicast::joinForBeacons(address, interface)) {}

void GroupBeacons::say() {
    auto beacon = multicast::encodeBeacon({stream_, key_.has_value(), port_.load(), name_});
    if (key_) {
        proveBeacon(beacon, *key_, address_, sender_.source().sin_addr);
    }
    unsent_.note(sender_.sendOne(beacon), sender_, nowNs());
}

void GroupBeacons::hearOthers() {
    for (int i = 0; i < kHeardAtOnce; ++i) {
        const auto other = multicast::hearBeacon(ear_.get(), stream_, Deadline::in({}), nullptr);
        if (!other) {
            return;
        }
        const std::string host = multicast::hostText(other->from.sin_addr);
        warnOfPeer(LogCategory::Stream, "group in use", host,
                   "multicast: {} ({}) says that it also sends to {}: viewers may find either; one of the "
                   "two should use another group or port (--multicast 239.10.0.8:7424)",
                   other->beacon.name, host, address_.text());
    }
}

}  // namespace verbcast
