// What anyone can send to a multicast group, and what a sender announces about its frames.
#include <algorithm>

#include "core/multicast/frame_assembly.h"
#include "core/multicast/group_messages.h"
#include "core/session/trust/beacon_proof.h"
#include "core/transport/multicast/datagram.h"
#include "core/transport/rdma/ud_group.h"
#include "tests/fuzz/decode_twice.h"
#include "tests/fuzz/script.h"

namespace verbcast::fuzz {
namespace {

constexpr std::uint32_t kChunkBytes = 256;
constexpr std::uint64_t kSlotBytes = 4096;
constexpr RingId kGroupRing = 1;

/// A chunk that is accepted lies within a slot that the sender was given, and is accepted only once.
void chunkComes(FrameAssembly& frames, Bytes datagram, bool tagged, TimestampNs now) {
    const auto chunk =
        multicast::readChunk(datagram, {1, kChunkBytes, static_cast<std::uint16_t>(tagged ? 1 : 0)});
    if (!chunk) {
        return;
    }
    require(chunk->payload.size() <= kChunkBytes && !chunk->payload.empty(), "a chunk of another size");
    if (ComingFrame* const frame = frames.place(chunk->head, chunk->payload.size())) {
        const std::uint64_t offset = frames.offsetOf(chunk->head.chunk);
        require(frame->pool->slots().isTaken(frame->slot), "a slot that the sender was not given");
        require(offset + chunk->payload.size() <= frame->pool->slotBytes(), "a chunk beyond its slot");
        std::ranges::copy(chunk->payload, frame->data() + offset);
        frames.add(*frame, chunk->head.chunk, now);
        require(frames.place(chunk->head, chunk->payload.size()) == nullptr, "a chunk has come twice");
    }
}

void over(FrameAssembly& frames, TimestampNs now) {
    if (ComingFrame* const frame = frames.ready()) {
        require(frame->info.has_value() && frame->map.complete(), "a frame that is not whole");
        frames.finish();
    } else if (frames.late(now) != nullptr) {
        frames.finish();
    }
}

}  // namespace

FUZZ_TARGET(multicast_datagram) {
    static const SessionKey key = SessionKey::random();
    static_cast<void>(multicast::readBeacon(input));
    require(!isProvenBeacon(input, key, {}, {}), "a beacon without the key");
    if (const auto datagram = ud::datagramOf({input, input.size(), true, 2})) {
        require(datagram->bytes.size() + ud::kHeaderBytes == input.size(), "a datagram beyond what came");
    }
    for (const std::uint16_t keyId : {0, 1}) {
        static_cast<void>(multicast::readChunk(input, {1, kChunkBytes, keyId}));
    }
}

FUZZ_TARGET(multicast_messages) {
    decodeTwice<GroupOffer>(input);
    decodeTwice<GroupJoined>(input);
    decodeTwice<GroupUdOffer>(input);
    decodeTwice<GroupUdJoined>(input);
    decodeTwice<GroupMoved>(input);
    decodeTwice<GroupKeyMessage>(input);
    decodeTwice<GroupKeyTaken>(input);
    decodeTwice<GroupFrame>(input);
    decodeTwice<GroupMissing>(input);
    decodeTwice<GroupRepaired>(input);
    decodeTwice<GroupDone>(input);
}

/// A script of events: datagrams of the group, messages of the session, and time passing.
FUZZ_TARGET(multicast_frames) {
    Script script(input);
    const std::uint8_t options = script.byte();
    FrameAssembly frames(kChunkBytes, (options & 1) != 0);
    const auto pool = FramePool::create({.slotBytes = kSlotBytes, .slotCount = 4, .hugePages = false});
    std::vector<FrameLease> held;  // shown, and not given to the sender
    for (int left = options >> 2 & 3; left > 0; --left) {
        held.push_back(std::move(*pool->tryAcquire()));
    }
    pool->slots().takeFree([](std::uint32_t) {});
    frames.useRing(kGroupRing, pool);
    TimestampNs now = 1;
    TimestampNs wakeAt = 0;
    for (int act = 0; act < 500 && !script.done(); ++act) {
        expectErrors([&] {
            switch (script.byte() % 7) {
                case 0: {
                    FrameInfo info = script.takeInfo();
                    frames.tell(script.byte(), kGroupRing + (script.byte() == 7 ? 1 : 0), info, now);
                    return;
                }
                case 1: {
                    multicast::DatagramHead head;
                    head.stream = 1;
                    head.keyId = options >> 1 & 1;
                    head.frame = script.byte();
                    head.chunk = script.byte();
                    head.chunks = script.byte();
                    std::vector<std::byte> datagram(multicast::kHeadBytes +
                                                    script.take<std::uint16_t>() % 400);
                    std::memcpy(datagram.data(), &head, sizeof head);
                    chunkComes(frames, datagram, (options >> 1 & 1) != 0, now);
                    return;
                }
                case 2:
                    chunkComes(frames, script.takeText(), (options >> 1 & 1) != 0, now);
                    return;
                case 3: {
                    GroupRepaired answer{script.byte(), script.byte(), {}};
                    for (unsigned count = script.byte() % multicast::kMaxRanges; count > 0; --count) {
                        answer.written.push({script.byte(), script.byte()});
                    }
                    frames.answered(answer, now);
                    return;
                }
                case 4: {
                    const std::uint32_t slot = script.byte();
                    frames.wrote(frames.repaired(kGroupRing, slot, script.byte()), now);
                    return;
                }
                case 5:
                    static_cast<void>(frames.ask(now, wakeAt));
                    return;
                default:
                    now += std::int64_t{1'000'000} * script.byte();
                    over(frames, now);
            }
        });
        require(frames.waiting() <= 8, "more frames than slots");
    }
}

}  // namespace verbcast::fuzz
