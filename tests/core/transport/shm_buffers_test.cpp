// Device buffers that a peer passes over shared memory: invalid ones are refused and closed.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "core/transport/shm/shm_channel.h"
#include "tests/support/raw_shm_peer.h"
#include "tests/support/transport_pair.h"

namespace verbcast::testing {
namespace {

using shm::PacketKind;

struct Packet {
    PacketKind kind;
    std::uint32_t ring;
    std::size_t descriptors;
};

/// Whether a connection accepts these packets; descriptors passed to it are closed with it.
bool takes(const std::vector<Packet>& packets) {
    const Url url = parseUrl(listenAddressFor("shm"));
    const auto listener = transportFor(url).listen(url, {});
    const UniqueFd any(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));  // as a peer-death socket
    const std::size_t before = openDescriptors();
    bool taken = true;
    {
        RawShmPeer peer(url.name);
        End end;
        end.set(listener->accept());
        EXPECT_TRUE(end.channel().readyToSleep());  // makes it check the socket
        EXPECT_TRUE(peer.passRing());
        for (const Packet& one : packets) {
            EXPECT_TRUE(peer.packet(one.kind, one.ring, std::vector<int>(one.descriptors, any.get())));
        }
        EXPECT_TRUE(peer.packet(PacketKind::Doorbell, 0, {}));
        try {
            while (waitReadable({end.channel().waitDescriptor()}, std::chrono::nanoseconds(0))) {
                end.serve();
                static_cast<void>(end.channel().readyToSleep());
            }
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Peer) << error.what();
            taken = false;
        }
    }
    EXPECT_EQ(openDescriptors(), before);
    return taken;
}

constexpr PacketKind kBuffers = PacketKind::Buffers;
constexpr PacketKind kMemory = PacketKind::Memory;

TEST(ShmBuffers, ComeBeforeTheirMemoryAndFewAtATime) {
    EXPECT_TRUE(takes({{kBuffers, 1, 1}}));
    EXPECT_TRUE(takes({{kBuffers, 1, shm::kMaxBuffers}, {kMemory, 1, 2}}));
    EXPECT_FALSE(takes({{kBuffers, 1, 0}}));
    EXPECT_FALSE(takes({{kBuffers, 1, shm::kMaxBuffers + 1}}));
    EXPECT_FALSE(takes({{kBuffers, 1, 2}, {kBuffers, 1, 2}})) << "of one memory, twice";
    EXPECT_FALSE(takes({{kBuffers, 2, 2}, {kMemory, 1, 2}})) << "of another memory than follows";
    std::vector<Packet> many;
    for (std::uint32_t ring = 1; ring <= shm::kMaxWaitingBuffers; ++ring) {
        many.insert(many.end(), {{kBuffers, ring, 1}, {kMemory, ring, 2}});
    }
    EXPECT_TRUE(takes(many));
    many.push_back({kBuffers, shm::kMaxWaitingBuffers + 1, 1});
    EXPECT_FALSE(takes(many));
}

}  // namespace
}  // namespace verbcast::testing
