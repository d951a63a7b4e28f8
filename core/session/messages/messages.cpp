#include "core/session/messages/messages.h"

#include <fmt/format.h>

#include <cmath>

namespace verbcast {
namespace {

static_assert(kMaxEncodedBytes == kMaxMessageBytes);

Role counterpart(Role role) {
    switch (role) {
        case Role::Sender:
            return Role::Receiver;
        case Role::Receiver:
            return Role::Sender;
        case Role::PipeSender:
            return Role::PipeReceiver;
        case Role::PipeReceiver:
            return Role::PipeSender;
        case Role::Probe:
        case Role::Pairing:
            break;
    }
    return role;
}

/// What a program with this role does, for the message about two that do not fit.
std::string_view purposeOf(Role role) {
    switch (role) {
        case Role::Sender:
            return "sends video";
        case Role::Receiver:
            return "views video";
        case Role::PipeSender:
            return "sends a pipe";
        case Role::PipeReceiver:
            return "receives a pipe";
        case Role::Probe:
        case Role::Pairing:
            break;
    }
    return "only visits";
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
    switch (role) {
        case Role::Sender:
            return "sender";
        case Role::Receiver:
            return "viewer";
        case Role::PipeSender:
            return "pipe's sending end";
        case Role::PipeReceiver:
            return "pipe's receiving end";
        case Role::Probe:
            return "probe";
        case Role::Pairing:
            return "host to be paired";
    }
    return "program of an unknown kind";
}

bool isVisitor(Role role) {
    return role == Role::Probe || role == Role::Pairing;
}

std::optional<std::string> roleMismatch(Role ours, Role peers) {
    const bool visited = isVisitor(ours) != isVisitor(peers);
    if (visited || (peers == counterpart(ours) && !isVisitor(ours))) {
        return std::nullopt;
    }
    if (peers == ours) {
        return fmt::format("both sides are a {}: one must send and one must {}", roleName(ours),
                           isOfPipe(ours) ? "receive" : "view");
    }
    return fmt::format("one end {} and the other {}: verbcast pipe connects only to verbcast pipe",
                       purposeOf(ours), purposeOf(peers));
}

void RingMessage::check() const {
    if (shape.slotCount < 1 || shape.slotCount > kMaxSlots || shape.slotBytes == 0 ||
        offer.size() > kMaxOfferBytes) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers an impossible ring: {} slots of {} bytes",
                                                 shape.slotCount, shape.slotBytes));
    }
}

void Report::check() const {
    for (const double value : {latency.p50, latency.p99, latency.p999, latency.max, clockErrorUs}) {
        if (!(value >= 0 && value < 1e15)) {
            throw Error(ErrorKind::Peer, "the peer reports a latency that is not a number");
        }
    }
}

void InputMessage::check() const {
    if (event.kind < InputKind::Key || event.kind > InputKind::Application) {
        throw Error(ErrorKind::Peer, "the peer sends input of an unknown kind");
    }
    for (const float value : {event.x, event.y, event.dx, event.dy}) {
        if (!(std::abs(value) <= 1e6F)) {
            throw Error(ErrorKind::Peer, "the peer sent input at an impossible place");
        }
    }
    if (event.data.size() > kMaxInputData) {
        throw Error(ErrorKind::Peer, "the peer sends more input at once than is allowed");
    }
}

}  // namespace verbcast
