#include "core/multicast/group_messages.h"
#include "core/transport/multicast/datagram.h"
#include "tests/fuzz/seed_writer.h"

namespace verbcast::fuzz {
namespace {

template <typename Message>
void addGroupMessage(const SeedFolder& folder, const std::string& name, const Message& message) {
    folder.add(name, std::span<const std::byte>(encodeMessage(message)).subspan(1));
}

/// The acts in multicast_targets.cpp: frame 1 in three chunks, the second of which is requested.
SeedWriter lossyFrame() {
    const auto chunk = [](SeedWriter& seed, int number, int payload) {
        seed.byte(1).byte(1).byte(number).byte(3).word(payload);
    };
    SeedWriter seed;
    seed.byte(0);
    seed.byte(0).info(1, 1, 600).byte(1).byte(0);
    chunk(seed, 0, 256);
    chunk(seed, 2, 88);
    seed.byte(6).byte(50).byte(5);
    seed.byte(3).byte(1).byte(1).byte(1).byte(1).byte(1);
    seed.byte(4).byte(0).byte(1).byte(6).byte(1);
    return seed;
}

/// Two frames into the only slot that is not held.
SeedWriter fewSlots() {
    SeedWriter seed;
    seed.byte(3 << 2);
    seed.byte(0).info(1, 1, 600).byte(1).byte(0);
    seed.byte(0).info(2, 1, 600).byte(2).byte(0);
    seed.byte(5);
    return seed;
}

}  // namespace

void writeMulticastSeeds(const std::filesystem::path& seeds) {
    const SeedFolder messages(seeds, "multicast_messages");
    GroupOffer offer;
    offer.stream = 1;
    offer.group = {std::byte{239}, std::byte{10}, std::byte{0}, std::byte{7}};
    offer.port = offer.sourcePort = 7423;
    offer.chunkBytes = 1424;
    addGroupMessage(messages, "offer", offer);
    GroupMissing missing{1, 2, 3, 4, {}};
    missing.ranges.push({0, 5});
    addGroupMessage(messages, "missing", missing);
    addGroupMessage(messages, "frame", GroupFrame{1, 1, std::vector<std::byte>(kFrameInfoHeadBytes)});

    const SeedFolder datagrams(seeds, "multicast_datagram");
    datagrams.add("beacon", multicast::encodeBeacon({1, false, 7423, "wall"}));
    multicast::DatagramHead head;
    head.stream = 1;
    head.frame = 1;
    head.chunks = 2;
    datagrams.add("chunk",
                  SeedWriter().bytes(std::as_bytes(std::span(&head, 1))).bytes(std::vector<std::byte>(256)));
    const SeedFolder frames(seeds, "multicast_frames");
    frames.add("lossy", lossyFrame());
    frames.add("few_slots", fewSlots());
}

}  // namespace verbcast::fuzz
