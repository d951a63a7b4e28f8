#include "core/session/messages/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/memory/frame_pool.h"

namespace verbcast {
namespace {

static_assert(kMaxEncodedBytes == kMaxMessageBytes);

struct RoleWords {
    Role role;
    std::string_view name;
    std::string_view purpose;  // what a program with this role does
    Role counterpart;
};
constexpr std::array kRoles = {
    RoleWords{Role::Sender, "sender", "sends video", Role::Receiver},
    RoleWords{Role::Receiver, "viewer", "views video", Role::Sender},
    RoleWords{Role::PipeSender, "pipe's sending end", "sends a pipe", Role::PipeReceiver},
    RoleWords{Role::PipeReceiver, "pipe's receiving end", "receives a pipe", Role::PipeSender},
    RoleWords{Role::Probe, "probe", "only visits", Role::Probe},
    RoleWords{Role::Pairing, "host to be paired", "only visits", Role::Pairing},
};

RoleWords wordsOfRole(Role role) {
    const auto* const known = std::ranges::find(kRoles, role, &RoleWords::role);
    return known != kRoles.end() ? *known
                                 : RoleWords{role, "program of an unknown kind", "only visits", role};
}

bool isOfPipe(Role role) {
    return role == Role::PipeSender || role == Role::PipeReceiver;
}

}  // namespace

bool needsAgreement(MessageType type) {
    return (type >= MessageType::Region && type <= MessageType::PlacedCredit) ||
           (type >= MessageType::FrameReady && type <= MessageType::RailOrder);
}

std::string_view roleName(Role role) {
    return wordsOfRole(role).name;
}

bool isVisitor(Role role) {
    return role == Role::Probe || role == Role::Pairing;
}

std::optional<std::string> roleMismatch(Role ours, Role peers) {
    const bool visited = isVisitor(ours) != isVisitor(peers);
    if (visited || (peers == wordsOfRole(ours).counterpart && !isVisitor(ours))) {
        return std::nullopt;
    }
    if (peers == ours) {
        return fmt::format("both sides are a {}: one must send and one must {}", roleName(ours),
                           isOfPipe(ours) ? "receive" : "view");
    }
    return fmt::format("one end {} and the other {}: verbcast pipe connects only to verbcast pipe",
                       wordsOfRole(ours).purpose, wordsOfRole(peers).purpose);
}

void RingMessage::check() const {
    if (shape.slotCount < 1 || shape.slotCount > kMaxSlots || shape.slotBytes == 0 ||
        offer.size() > kMaxOfferBytes) {
        throw peerError("the peer offers an impossible ring: {} slots of {} bytes", shape.slotCount,
                        shape.slotBytes);
    }
}

RingMessage RingMessage::of(TrackId track, RingId ring, const FramePool& pool,
                            std::span<const std::byte> offer) {
    return {.track = track,
            .ring = ring,
            .shape = {pool.slotBytes(), pool.slotCount()},
            .offer = {offer.begin(), offer.end()}};
}

void requireTimes(std::initializer_list<double> values, const char* otherwise) {
    if (!std::ranges::all_of(values, [](double value) { return value >= 0 && value < 1e15; })) {
        throw Error(ErrorKind::Peer, otherwise);
    }
}

void Report::check() const {
    requireTimes({latency.p50, latency.p99, latency.p999, latency.max, clockErrorUs},
                 "the peer reports a latency that is not a number");
}

void RailOrder::check() const {
    if (track >= kMaxTracks || (!begins && follows >= sequence)) {
        throw peerError("the peer says that frame {} of track {} follows frame {}", sequence, track, follows);
    }
}

void InputMessage::check() const {
    if (event.kind < InputKind::Key || event.kind > InputKind::Application) {
        throw peerError("the peer sends input of an unknown kind");
    }
    for (const float value : {event.x, event.y, event.dx, event.dy}) {
        if (!(std::abs(value) <= 1e6F)) {
            throw peerError("the peer sent input at an impossible place");
        }
    }
    if (event.data.size() > kMaxInputData) {
        throw peerError("the peer sends more input at once than is allowed");
    }
}

}  // namespace verbcast
