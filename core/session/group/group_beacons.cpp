#include "core/session/group/group_beacons.h"

#include <fmt/format.h>
#include <linux/filter.h>
#include <sys/socket.h>

#include <cstddef>

#include "core/base/error.h"
#include "core/base/stranger_log.h"

namespace verbcast {
namespace {

constexpr std::chrono::milliseconds kLookForOthers = multicast::kBeaconInterval * 5 / 2;

/// Filters out all but beacons: otherwise a group's sender would hear its own frames.
void hearOnlyBeacons(int socket) {
    constexpr std::uint32_t kKindAt = 8 + offsetof(multicast::DatagramHead, kind);  // behind UDP's header
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kKindAt),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(multicast::DatagramKind::Beacon), 0,
                 1),
        BPF_STMT(BPF_RET | BPF_K, 0xffff),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    const sock_fprog filter{std::size(program), program};
    ::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

std::string describe(const multicast::FoundSender& other) {
    const std::string host = multicast::hostText(other.from.sin_addr);
    return other.beacon.name.empty() ? host : fmt::format("{} ({})", other.beacon.name, host);
}

}  // namespace

GroupBeacons::GroupBeacons(const multicast::GroupAddress& address, const multicast::GroupInterface& interface,
                           int ttl, std::uint64_t stream, const std::string& name)
    : address_(address),
      stream_(stream),
      name_(name),
      sender_(address, interface, ttl),
      ear_(multicast::joinGroup(address, interface)) {
    hearOnlyBeacons(ear_.get());
    refuseIfInUse(interface.name);
}

void GroupBeacons::refuseIfInUse(const std::string& interface) {
    const Deadline end = Deadline::in(kLookForOthers);
    while (!end.passed()) {
        say(true);
        const Deadline next = earlier(end, Deadline::in(multicast::kBeaconInterval / 2));
        while (const auto other = multicast::hearBeacon(ear_.get(), stream_, true, next, nullptr)) {
            // Of two that look at the same time, one has to give way.
            if (!other->beacon.asks || other->beacon.stream < stream_) {
                throw Error(ErrorKind::Network,
                            fmt::format("the group {} on {} is in use: {} sends a stream there",
                                        address_.text(), interface, describe(*other)),
                            "choose another group or port: --multicast 239.10.0.8:7424");
            }
            if (next.passed()) {
                break;  // others may ask without end
            }
        }
    }
}

void GroupBeacons::say(bool asks) {
    const auto bytes = multicast::encodeBeacon({stream_, port_.load(), asks, name_});
    static_cast<void>(sender_.sendOne(bytes));
}

void GroupBeacons::hearOthers() {
    for (int i = 0; i < 16; ++i) {
        const auto other = multicast::hearBeacon(ear_.get(), stream_, true, Deadline::in({}), nullptr);
        if (!other) {
            return;
        }
        const std::string host = multicast::hostText(other->from.sin_addr);
        warnOfStranger(
            LogCategory::Stream, "group in use", host,
            "multicast: {} ({}) also wants to send to {}: one of the two should use another group or port",
            other->beacon.name, host, address_.text());
    }
}

}  // namespace verbcast
