// What a tcp peer may do wrong: messages just before it hangs up, floods, and invalid frames.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <string>
#include <thread>

#include "tests/support/another_user.h"
#include "tests/support/raw_tcp_sockets.h"
#include "tests/support/transport_pair.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class TcpPeer : public ::testing::Test {
  protected:
    TcpPeer() : listener_(transportFor(url_).listen(url_, {})), peer(listener_->address()) {
        end.set(acceptOne(*listener_));
    }

    template <typename Done>
    void serveUntil(Done&& done) {
        const Deadline deadline = Deadline::in(10s);
        while (!done() && !deadline.passed()) {
            if (!end.serve() && end.readyToSleep()) {
                waitReadable({end.channel().waitDescriptor(), end.path().waitDescriptor()}, deadline);
            }
        }
        EXPECT_TRUE(done());
    }
    /// What the peer has done is reported as its fault, it can still be sent a message, and nothing more is
    /// read from it.
    void expectPeersFault() {
        try {
            serveUntil([&] { return end.closed; });
            ADD_FAILURE() << "closed, but nobody's fault: " << end.channel().closeReason();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Peer) << error.what();
        }
        const std::array<std::byte, 3> why{};
        EXPECT_EQ(end.channel().send(why), Status::Ok);
        EXPECT_EQ(peer.hear().size(), why.size());
        for (int turn = 0; turn < 10; ++turn) {
            EXPECT_EQ(end.path().poll(), Progress::Idle);
        }
        end.channel().close();
        EXPECT_EQ(end.channel().process(), Progress::Closed);
        EXPECT_EQ(end.path().poll(), Progress::Closed);
    }
    void offerRing(RingId ring, std::uint64_t slotBytes) {
        pool = FramePool::create({.slotBytes = slotBytes, .slotCount = 2});
        pool->slots().takeFree([](std::uint32_t) {});
        std::fill_n(pool->slotData(0), pool->slotBytes() * 2, std::byte{0xEE});
        end.rings[ring] = pool;
        end.path().offer(ring, pool);
    }
    bool untouched() const {
        return std::all_of(pool->slotData(0), pool->slotData(0) + 2 * pool->slotBytes(),
                           [](std::byte b) { return b == std::byte{0xEE}; });
    }
    static FrameInfo infoOf(std::uint64_t bytes) {
        FrameInfo info;
        info.payloadBytes = bytes;
        return info;
    }

    const Url url_ = parseUrl("tcp://127.0.0.1:0");
    std::unique_ptr<Listener> listener_;
    RawTcpSockets peer;
    End end;
    std::shared_ptr<FramePool> pool;
};

TEST_F(TcpPeer, ItsLastWordsAreHeardWhenTheDataConnectionIsGone) {
    peer.data.reset();
    serveUntil([&] { return end.path().poll() == Progress::Closed; });
    const std::array<std::byte, 4> words{};
    EXPECT_TRUE(peer.say(words));
    EXPECT_TRUE(peer.say(words));
    serveUntil([&] { return end.closed; });
    EXPECT_EQ(end.messages.size(), 2U);
    EXPECT_FALSE(end.channel().closeReason().empty());
}

TEST_F(TcpPeer, ItsLastWordsHaveAnEnd) {
    std::atomic<bool> stop{false};
    std::jthread flooding([&] {
        const std::vector<std::byte> words(4000);
        // Bounded, so that a channel without a limit fails this test instead of hanging it.
        for (int i = 0; i < 16'000 && !stop && peer.say(words); ++i) {
        }
    });
    while (end.messages.size() < 100) {  // the flood has begun
        end.serve();
        end.messages.resize(std::min<std::size_t>(end.messages.size(), 100));
    }
    const std::uint64_t before = end.channel().bytesReceived();
    ::shutdown(peer.data.get(), SHUT_RDWR);
    while (end.path().poll() != Progress::Closed) {
    }
    const Deadline deadline = Deadline::in(10s);
    while (end.channel().process() != Progress::Closed && !deadline.passed()) {
    }
    EXPECT_FALSE(deadline.passed());
    EXPECT_LT(end.channel().bytesReceived() - before, 256U << 10);
    stop = true;
    end.connection = {};  // the flood meets a closed socket
}

/// This process's socket at the other end of that one; -1 if there is none.
int otherEndOf(int socket) {
    const std::string wanted = localAddressOf(socket).text();
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        const int descriptor = std::stoi(entry.path().filename());
        if (peerAddressOf(descriptor).text() == wanted) {
            return descriptor;
        }
    }
    return -1;
}

TEST_F(TcpPeer, WhatHasLeftIsNoBacklog) {
    const int small = 16 << 10;  // of the kernel's buffers, so that little moves at a time
    ASSERT_EQ(::setsockopt(peer.control.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    ASSERT_EQ(::setsockopt(otherEndOf(peer.control.get()), SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    const std::vector<std::byte> words(4000);
    // Until the kernel has taken what it can, and our own queue of 256 KiB is full, too.
    for (int quiet = 0; quiet < 10; ++quiet) {
        while (end.channel().send(words) == Status::Ok) {
            quiet = 0;
        }
        end.serve();
        std::this_thread::sleep_for(1ms);
    }
    auto hearing = std::async(std::launch::async, [&] {
        for (int heard = 0; heard < 45; ++heard) {  // most of such a queue, but not all of it
            EXPECT_EQ(peer.hear().size(), words.size());
        }
    });
    while (hearing.wait_for(1ms) != std::future_status::ready) {
        end.serve();
    }
    serveUntil([&] { return end.channel().send(words) == Status::Ok; });
}

TEST_F(TcpPeer, TheEndOfTheControlConnectionEndsTheDataConnectionToo) {
    peer.control.reset();
    serveUntil([&] { return end.closed; });
    EXPECT_EQ(end.path().poll(), Progress::Closed);
    EXPECT_TRUE(hangsUp(peer.data.get(), kPatience));
}

TEST_F(TcpPeer, ClosingHangsUpBoth) {
    end.channel().close();
    EXPECT_TRUE(hangsUp(peer.control.get(), kPatience));
    EXPECT_TRUE(hangsUp(peer.data.get(), kPatience));
}

TEST_F(TcpPeer, DestroyingTheChannelHangsUpBothEvenIfThePathIsKept) {
    end.connection.messages.reset();
    EXPECT_TRUE(hangsUp(peer.control.get(), kPatience));
    EXPECT_TRUE(hangsUp(peer.data.get(), kPatience));
    EXPECT_EQ(end.path().poll(), Progress::Closed);
}

TEST_F(TcpPeer, IsOfThisUserOnlyWhenItIs) {
    EXPECT_TRUE(end.channel().description().place == PeerPlace::ThisUser);
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can be another user, too";
    }
    const auto come = [&] {
        return acceptOne(*listener_).messages->description().place == PeerPlace::ThisUser;
    };
    {
        const AnotherUser other;
        peer = RawTcpSockets(listener_->address());
    }
    EXPECT_FALSE(come());
    peer = RawTcpSockets(listener_->address());
    EXPECT_TRUE(come());
    // The owner of a connection whose peer has already hung up is unknown: the kernel lists it as root's.
    peer = RawTcpSockets(listener_->address());
    peer.control.reset();
    peer.data.reset();
    EXPECT_FALSE(come());
}

TEST_F(TcpPeer, ImpossibleMessagesAreItsFault) {
    for (const tcp::ControlHeader& header :
         {tcp::ControlHeader{tcp::kControlMagic, 0}, tcp::ControlHeader{tcp::kControlMagic, 4097},
          tcp::ControlHeader{tcp::kControlMagic, ~0U}, tcp::ControlHeader{1, 4}}) {
        peer = RawTcpSockets(listener_->address());
        end.closed = false;
        end.set(acceptOne(*listener_));
        ASSERT_TRUE(writeAll(peer.control.get(), bytesOf(header)));
        ASSERT_TRUE(writeAll(peer.control.get(), bytesOf(header)));
        expectPeersFault();
        end.connection = {};
    }
    EXPECT_TRUE(end.messages.empty());
}

/// Invalid frames, announced as they are. All have a payload ready, which must not be written anywhere.
struct BadFrame {
    const char* name;
    tcp::DataHeader header;
    std::uint64_t payloadBytes;
    std::vector<ByteBlock> blocks;
    std::uint16_t rectCount = 0;
    friend std::ostream& operator<<(std::ostream& out, const BadFrame& bad) { return out << bad.name; }
};
class TcpBadFrame : public TcpPeer, public ::testing::WithParamInterface<BadFrame> {};

TEST_P(TcpBadFrame, IsThePeersFaultAndWritesNothing) {
    offerRing(3, 8192);
    const BadFrame& bad = GetParam();
    FrameInfo info = infoOf(bad.payloadBytes);
    info.rectCount = bad.rectCount;
    tcp::DataHeader header = bad.header;
    writeAll(peer.data.get(), bytesOf(header));
    writeAll(peer.data.get(), bytesOf(info).first(kFrameInfoHeadBytes));
    const std::vector<std::byte> rects(bad.rectCount * sizeof(FrameRect));
    writeAll(peer.data.get(), rects);
    if (!bad.blocks.empty()) {
        writeAll(peer.data.get(), std::as_bytes(std::span(bad.blocks)));
    }
    peer.sendPayload(8192, std::byte{0x41});
    expectPeersFault();
    EXPECT_TRUE(untouched());
    EXPECT_TRUE(end.arrived.empty());
}

constexpr std::uint32_t kM = tcp::kDataMagic;
constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;
INSTANTIATE_TEST_SUITE_P(
    All, TcpBadFrame,
    ::testing::Values(BadFrame{"magic", {1, 3, 0, 0, 100}, 100, {}},
                      BadFrame{"unknown_ring", {kM, 4, 0, 0, 100}, 100, {}},
                      BadFrame{"unknown_slot", {kM, 3, 2, 0, 100}, 100, {}},
                      BadFrame{"huge_slot", {kM, 3, ~0U, 0, 100}, 100, {}},
                      BadFrame{"nothing", {kM, 3, 0, 0, 0}, 0, {}},
                      BadFrame{"too_large", {kM, 3, 0, 0, 8193}, 8193, {}},
                      BadFrame{"far_too_large", {kM, 3, 0, 0, ~0ULL}, ~0ULL, {}},
                      BadFrame{"sum_differs", {kM, 3, 0, 0, 99}, 100, {}},
                      BadFrame{"sum_of_blocks_differs", {kM, 3, 0, 1, 100}, 8000, {{0, 50, 50, 1}}},
                      BadFrame{"too_many_blocks", {kM, 3, 0, 65, 8000}, 8000, {}},
                      BadFrame{"huge_block_count", {kM, 3, 0, ~0U, 8000}, 8000, {}},
                      BadFrame{"block_beyond", {kM, 3, 0, 1, 100}, 8000, {{7950, 100, 100, 1}}},
                      BadFrame{"rows_beyond", {kM, 3, 0, 1, 300}, 8000, {{0, 100, 7000, 3}}},
                      BadFrame{"offset_wraps", {kM, 3, 0, 1, 100}, 8000, {{~0ULL - 49, 100, 100, 1}}},
                      BadFrame{"stride_wraps", {kM, 3, 0, 1, 300}, 8000, {{0, 100, kHuge, 3}}},
                      BadFrame{"rows_wrap", {kM, 3, 0, 1, 0}, 8000, {{0, 16, 16, kHuge}}},
                      BadFrame{"no_stride", {kM, 3, 0, 1, 8000}, 8000, {{0, 1, 0, 8000}}},
                      BadFrame{"empty_row", {kM, 3, 0, 1, 0}, 8000, {{0, 0, 1, 1}}},
                      BadFrame{"no_rows", {kM, 3, 0, 1, 0}, 8000, {{0, 1, 1, 0}}},
                      BadFrame{"rectangles", {kM, 3, 0, 0, 100}, 100, {}, 17},
                      BadFrame{"many_rectangles", {kM, 3, 0, 0, 100}, 100, {}, 65535}),
    [](const auto& bad) { return bad.param.name; });

TEST_F(TcpPeer, AFrameInPiecesArrivesWhole) {
    offerRing(3, 8192);
    const std::array<ByteBlock, 2> blocks{ByteBlock{10, 5, 100, 3}, ByteBlock{4000, 7, 7, 2}};
    FrameInfo info = infoOf(8000);
    info.rectCount = 2;
    std::vector<std::byte> bytes;
    const auto put = [&](std::span<const std::byte> part) {
        bytes.insert(bytes.end(), part.begin(), part.end());
    };
    put(bytesOf(tcp::DataHeader{kM, 3, 1, 2, 29}));
    put(bytesOf(info).first(frameInfoBytes(info)));
    put(std::as_bytes(std::span(blocks)));
    bytes.resize(bytes.size() + 29, std::byte{0x41});
    for (const std::byte& byte : bytes) {
        EXPECT_TRUE(end.arrived.empty());
        ASSERT_TRUE(writeAll(peer.data.get(), std::span(&byte, 1)));
        serveUntil([&] { return end.channel().bytesReceived() == std::uint64_t(&byte - bytes.data()) + 1; });
    }
    ASSERT_EQ(end.arrived.size(), 1U);
    EXPECT_EQ(end.arrived[0].slot, 1U);
    EXPECT_EQ(end.arrived[0].info.rectCount, 2);
    const std::byte* slot = pool->slotData(1);
    std::size_t changed = 0;
    for (std::uint64_t at = 0; at < pool->slotBytes(); ++at) {
        changed += slot[at] == std::byte{0x41} ? 1 : 0;
    }
    EXPECT_EQ(changed, 29U);
    EXPECT_EQ(slot[214], std::byte{0x41});
    EXPECT_EQ(slot[215], std::byte{0xEE});
    EXPECT_EQ(slot[4013], std::byte{0x41});
}

TEST_F(TcpPeer, AHalfReceivedPayloadKeepsItsMemory) {
    offerRing(3, 1 << 20);
    ASSERT_TRUE(peer.beginFrame({kM, 3, 0, 0, 1 << 20}, infoOf(1 << 20)));
    ASSERT_TRUE(peer.sendPayload(1000, std::byte{1}));
    serveUntil([&] { return end.path().payloadBytesMoved() == 1000; });
    // The session releases everything that it holds.
    const std::weak_ptr<FramePool> watched = pool;
    end.path().retire(3);
    end.rings.clear();
    pool.reset();
    EXPECT_FALSE(watched.expired());
    std::jthread sending([&] { peer.sendPayload((1 << 20) - 1000, std::byte{2}); });
    serveUntil([&] { return !end.arrived.empty(); });
    EXPECT_TRUE(watched.expired());
    sending.join();
    ASSERT_TRUE(peer.beginFrame({kM, 3, 0, 0, 100}, infoOf(100)));
    expectPeersFault();
}

TEST_F(TcpPeer, AWakeUpInsideAPayloadIsForAGoodPieceOfIt) {
    offerRing(3, 4 << 20);
    ASSERT_TRUE(peer.beginFrame({kM, 3, 0, 0, 4 << 20}, infoOf(4 << 20)));
    serveUntil([&] { return end.begun == 1; });
    while (end.serve()) {
    }
    ASSERT_TRUE(end.readyToSleep());
    ASSERT_TRUE(peer.sendPayload(10'000, std::byte{1}));
    EXPECT_FALSE(waitReadable({end.path().waitDescriptor()}, 100ms)) << "not for 10 kB";
    ::shutdown(peer.data.get(), SHUT_WR);
    EXPECT_TRUE(waitReadable({end.path().waitDescriptor()}, kPatience)) << "for the end";
}

}  // namespace
}  // namespace verbcast::testing
