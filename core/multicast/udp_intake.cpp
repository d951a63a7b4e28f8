#include "core/multicast/udp_intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/transport/multicast/group_socket.h"

namespace verbcast {
namespace {

using multicast::kHeadBytes;

constexpr int kBatchesAtOnce = 4;  // before messages and repairs get a turn

UniqueFd joinedSocket(const multicast::GroupAddress& group, const multicast::GroupInterface& interface,
                      const GroupOffer& offer) {
    in_addr source{};
    std::memcpy(&source, offer.source.data(), offer.source.size());
    UniqueFd socket = multicast::joinGroup(group, interface, source);
    multicast::takeMerged(socket.get());
    return socket;
}

}  // namespace

UdpIntake::UdpIntake(const multicast::GroupAddress& group, const multicast::GroupInterface& interface,
                     const GroupOffer& offer, DatagramKeys& keys, GroupTally& tally)
    : GroupIntake(group, offer, {offer.stream, offer.chunkBytes, static_cast<std::uint16_t>(offer.tagged)},
                  keys, tally),
      interface_(interface),
      socket_(joinedSocket(group, interface, offer)),
      batch_(offer.chunkBytes, offer.tagged ? multicast::kTagBytes : 0) {}

std::string UdpIntake::whySilent() const {
    return fmt::format(
        "on {}: every frame has to be requested. A switch may need an IGMP querier, a router a "
        "larger ttl in its group (?ttl=N), or a firewall may block UDP port {}",
        interface_.name, group_.port);
}

bool UdpIntake::receive(FrameAssembly& frames) {
    bool worked = false;
    for (int round = 0; round < kBatchesAtOnce; ++round) {
        const ComingFrame* const next = offer_.encrypted ? nullptr : frames.expected();
        for (std::size_t i = 0; i < batch_.places; ++i) {
            std::byte* place = batch_.scratchOf(i);
            if (next != nullptr) {
                const std::uint64_t chunk = std::uint64_t{next->map.reached()} + i;
                const std::uint64_t offset = chunk * batch_.chunkBytes;
                if (chunk < next->map.chunks() && offset + batch_.chunkBytes <= next->pool->slotBytes()) {
                    place = next->data() + offset;
                }
            }
            batch_.found[i].payload = place;
        }
        batch_.layOut();
        const int got = ::recvmmsg(socket_.get(), batch_.messages.data(), static_cast<unsigned>(batch_.count),
                                   MSG_DONTWAIT, nullptr);
        if (got <= 0) {
            return worked;  // a datagram socket has no end; the session shows a failed device
        }
        worked = true;
        takeBatch(frames, static_cast<std::size_t>(got), nowNs());
        if (static_cast<std::size_t>(got) < batch_.count) {
            return worked;
        }
    }
    return worked;
}

void UdpIntake::takeBatch(FrameAssembly& frames, std::size_t messages, TimestampNs now) {
    bool misplaced = false;
    bool several = false;
    for (std::size_t i = 0; i < messages; ++i) {
        std::size_t left = batch_.messages[i].msg_len;
        several |= left > batch_.datagramBytes() || (batch_.messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;
        for (std::size_t run = 0; run < batch_.runs; ++run) {
            const std::size_t bytes = std::min(left, batch_.datagramBytes());
            const std::size_t place = i * batch_.runs + run;
            batch_.found[place].misplaced = bytes > 0 && takeOne(frames, place, bytes, batch_.from[i], now);
            misplaced |= batch_.found[place].misplaced;
            left -= bytes;
        }
    }
    const std::size_t taken = messages * batch_.runs;
    if (misplaced) {
        movePlaces(frames, taken, now);
    }
    // After a full call without any merged message, expect single ones.
    batch_.merged = several || (batch_.merged && messages < batch_.count);
}

/// Returns true if it is a chunk that lies in the wrong place.
bool UdpIntake::takeOne(FrameAssembly& frames, std::size_t place, std::size_t bytes, const sockaddr_in& from,
                        TimestampNs now) {
    multicast::Refusal why = multicast::Refusal::NotOurs;
    const auto head = multicast::readHead(batch_.heads[place], bytes, shape_, &why);
    const bool fromSender = ntohs(from.sin_port) == offer_.sourcePort &&
                            std::memcmp(&from.sin_addr, offer_.source.data(), 4) == 0;
    if (!head || !fromSender) {
        if (head || why != multicast::Refusal::Beacon) {
            refused(head ? multicast::Refusal::OtherStream : why, multicast::hostText(from.sin_addr));
        }
        return false;
    }
    // The tag follows the payload, so part of it is in the payload's place if that is shorter than a chunk.
    const std::size_t payloadBytes = bytes - kHeadBytes - batch_.tagBytes;
    std::array<std::byte, multicast::kTagBytes> tag{};
    for (std::size_t at = 0; at < batch_.tagBytes; ++at) {
        const std::size_t byte = payloadBytes + at;
        tag[at] = byte < batch_.chunkBytes ? batch_.payloadOf(place)[byte]
                                           : batch_.tags[place][byte - batch_.chunkBytes];
    }
    const multicast::Chunk chunk{
        *head, {batch_.payloadOf(place), payloadBytes}, std::span(tag).first(batch_.tagBytes)};
    if (!opens(chunk, batch_.scratchOf(place))) {
        refused(multicast::Refusal::Impossible, multicast::hostText(from.sin_addr));
        return false;
    }
    tally_.copied += payloadBytes;
    batch_.found[place].head = *head;
    batch_.found[place].bytes = static_cast<std::uint32_t>(payloadBytes);
    ComingFrame* const frame = frames.place(*head, payloadBytes);
    if (frame == nullptr) {
        return false;  // there already, or for other viewers
    }
    if (frame->data() + frames.offsetOf(head->chunk) != batch_.payloadOf(place)) {
        return true;
    }
    frames.add(*frame, head->chunk, now);
    return false;
}

/// Sets all misplaced chunks aside before copying any: one may lie where another belongs.
void UdpIntake::movePlaces(FrameAssembly& frames, std::size_t taken, TimestampNs now) {
    for (std::size_t i = 0; i < taken; ++i) {
        if (batch_.found[i].misplaced && batch_.payloadOf(i) != batch_.scratchOf(i)) {
            std::memcpy(batch_.scratchOf(i), batch_.payloadOf(i), batch_.found[i].bytes);
            tally_.copied += batch_.found[i].bytes;
        }
    }
    for (std::size_t i = 0; i < taken; ++i) {
        const Batch::Found& found = batch_.found[i];
        ComingFrame* const frame = found.misplaced ? frames.place(found.head, found.bytes) : nullptr;
        if (frame != nullptr) {
            std::memcpy(frame->data() + frames.offsetOf(found.head.chunk), batch_.scratchOf(i), found.bytes);
            tally_.copied += found.bytes;
            frames.add(*frame, found.head.chunk, now);
        }
    }
}

}  // namespace verbcast
