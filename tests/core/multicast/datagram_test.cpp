#include "core/transport/multicast/datagram.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace verbcast::testing {
namespace {

using namespace multicast;  // what is tested here

constexpr StreamShape kShape{0x1234'5678'9abc'def0, 1024, 0};
constexpr StreamShape kTagged{0x1234'5678'9abc'def0, 1024, 7};

std::vector<std::byte> datagram(const DatagramHead& head, std::size_t payload, std::size_t tag = 0) {
    std::vector<std::byte> bytes(kHeadBytes + payload + tag, std::byte{0x5a});
    std::memcpy(bytes.data(), &head, sizeof head);
    return bytes;
}

DatagramHead goodHead() {
    DatagramHead head;
    head.stream = kShape.stream;
    head.counter = 99;
    head.frame = 3;
    head.chunk = 1;
    head.chunks = 4;
    return head;
}

TEST(Datagram, ReadsWhatWasWritten) {
    const auto bytes = datagram(goodHead(), 1024);
    const auto chunk = readChunk(bytes, kShape);
    ASSERT_TRUE(chunk);
    EXPECT_EQ(chunk->head.frame, 3U);
    EXPECT_EQ(chunk->head.chunk, 1U);
    EXPECT_EQ(chunk->payload.size(), 1024U);
    EXPECT_EQ(chunk->payload.data(), bytes.data() + kHeadBytes);
    EXPECT_TRUE(chunk->tag.empty());
}

TEST(Datagram, TheLastChunkMayBeShorter) {
    DatagramHead head = goodHead();
    head.chunk = 3;
    EXPECT_TRUE(readChunk(datagram(head, 1), kShape));
    EXPECT_TRUE(readChunk(datagram(head, 1024), kShape));
    EXPECT_FALSE(readChunk(datagram(head, 1025), kShape));
    EXPECT_FALSE(readChunk(datagram(head, 0), kShape));
}

TEST(Datagram, RefusesWhatCannotBe) {
    struct Case {
        const char* what;
        void (*spoil)(DatagramHead&);
        Refusal why;
    };
    for (const Case& each : {
             Case{"another program's", [](DatagramHead& head) { head.magic = 1; }, Refusal::NotOurs},
             Case{"another version", [](DatagramHead& head) { ++head.version; }, Refusal::NotOurs},
             Case{"another stream", [](DatagramHead& head) { ++head.stream; }, Refusal::OtherStream},
             Case{"an unknown kind", [](DatagramHead& head) { head.kind = DatagramKind{9}; },
                  Refusal::Impossible},
             Case{"no frame", [](DatagramHead& head) { head.frame = 0; }, Refusal::Impossible},
             Case{"no chunks", [](DatagramHead& head) { head.chunks = 0; }, Refusal::Impossible},
             Case{"a chunk beyond the frame", [](DatagramHead& head) { head.chunk = 4; },
                  Refusal::Impossible},
             Case{"too many chunks", [](DatagramHead& head) { head.chunks = kMaxChunks + 1; },
                  Refusal::Impossible},
             Case{"a key where none is", [](DatagramHead& head) { head.keyId = 1; }, Refusal::Impossible},
         }) {
        DatagramHead head = goodHead();
        each.spoil(head);
        Refusal why{};
        EXPECT_FALSE(readChunk(datagram(head, 1024), kShape, &why)) << each.what;
        EXPECT_EQ(why, each.why) << each.what;
    }
    EXPECT_FALSE(readChunk(datagram(goodHead(), 1023), kShape)) << "a short chunk within a frame";
    EXPECT_FALSE(readChunk({}, kShape));
    const auto whole = datagram(goodHead(), 1024);
    EXPECT_FALSE(readChunk(std::span(whole).first(kHeadBytes - 1), kShape));
}

TEST(Datagram, ATagIsNeitherLeftOutNorPayload) {
    DatagramHead head = goodHead();
    EXPECT_FALSE(readChunk(datagram(head, 1024, kTagBytes), kTagged)) << "names no key";
    head.keyId = 3;
    EXPECT_FALSE(readChunk(datagram(head, 1024), kTagged)) << "has no tag";
    const auto chunk = readChunk(datagram(head, 1024, kTagBytes), kTagged);
    ASSERT_TRUE(chunk);
    EXPECT_EQ(chunk->tag.size(), kTagBytes);
    EXPECT_EQ(chunk->payload.size(), 1024U);
}

TEST(Datagram, AnyBytesAreSafe) {
    std::mt19937 random(2);
    for (int round = 0; round < 20'000; ++round) {
        auto bytes = datagram(goodHead(), random() % 1100, random() % 2 * kTagBytes);
        for (unsigned i = random() % 4; i > 0; --i) {
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        }
        bytes.resize(random() % (bytes.size() + 1));
        for (const StreamShape& shape : {kShape, kTagged}) {
            if (const auto chunk = readChunk(bytes, shape)) {
                EXPECT_LT(chunk->head.chunk, chunk->head.chunks);
                EXPECT_LE(chunk->payload.size(), shape.chunkBytes);
                EXPECT_GE(chunk->payload.size(), 1U);
            }
        }
        static_cast<void>(readBeacon(bytes));
    }
}

TEST(Datagram, FramesAreCutInOneWay) {
    // IPv4 and UDP take 28 bytes of a packet; an RDMA network's MTU is the datagram's.
    EXPECT_EQ(chunkBytesFor(1500 - 28, false), 1424U);
    EXPECT_EQ(chunkBytesFor(9000 - 28, true), 8912U);
    EXPECT_EQ(chunkBytesFor(4096, false), 4048U);
    for (const std::uint32_t bytes : {512U, 576U, 1024U, 1472U, 4096U, 65508U}) {
        EXPECT_LE(chunkBytesFor(bytes, true) + kHeadBytes + kTagBytes, bytes);
    }
    EXPECT_EQ(chunkBytesFor(0, true), kMinChunkBytes);
    EXPECT_EQ(chunksOf(1, 1024), 1U);
    EXPECT_EQ(chunksOf(1024, 1024), 1U);
    EXPECT_EQ(chunksOf(1025, 1024), 2U);
    EXPECT_EQ(bytesOfChunk(1025, 1024, 0), 1024U);
    EXPECT_EQ(bytesOfChunk(1025, 1024, 1), 1U);
}

TEST(Datagram, ABeaconIsReadAndCleaned) {
    const auto bytes = encodeBeacon({17, true, 7423, "wall\n\x1b[31m" + std::string(100, 'x')});
    const auto beacon = readBeacon(bytes);
    ASSERT_TRUE(beacon);
    EXPECT_EQ(beacon->stream, 17U);
    EXPECT_EQ(beacon->port, 7423);
    EXPECT_TRUE(beacon->tagged);
    EXPECT_EQ(beacon->name.find('\x1b'), std::string::npos);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(readBeacon(std::span(bytes).first(length))) << length;
    }
    EXPECT_FALSE(readChunk(bytes, {17, 1024, 0})) << "no chunk";
    EXPECT_FALSE(readBeacon(datagram(goodHead(), 1024))) << "no beacon";
}

}  // namespace
}  // namespace verbcast::testing
