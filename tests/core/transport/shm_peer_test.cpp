// What a peer over shared memory may do wrong: invalid descriptors, packets and records, another user.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cstddef>

#include "core/transport/shm/shm_channel.h"
#include "tests/support/kernel_pipe.h"
#include "tests/support/raw_shm_peer.h"
#include "tests/support/transport_pair.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;
using shm::PacketKind;
using shm::RecordKind;

class ShmPeer : public ::testing::Test {
  protected:
    void SetUp() override {
        listener_ = transportFor(url_).listen(url_, {});
        meetAnother();
    }
    void meetAnother() {
        end = {};
        peer.emplace(url_.name);
        end.set(listener_->accept());
        ASSERT_TRUE(end.connection);
        ASSERT_TRUE(end.channel().readyToSleep());  // makes it check the socket
    }
    void expectPeersFault() {
        const Deadline deadline = Deadline::in(kPatience);
        try {
            while (!deadline.passed() && !end.closed) {
                end.serve();
                static_cast<void>(end.channel().readyToSleep());
            }
            ADD_FAILURE() << "closed, but nobody's fault: " << end.channel().closeReason();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Peer) << error.what();
        }
        const std::byte why{1};
        EXPECT_EQ(end.channel().send(std::span(&why, 1)), Status::Ok) << "it can be told";
        end.channel().close();
        EXPECT_EQ(end.channel().process(), Progress::Closed);
    }
    /// Serves until there is nothing left to do.
    void settle() {
        do {
            while (end.serve()) {
            }
        } while (end.channel().readyToSleep() && waitReadable({end.channel().waitDescriptor()}, 0ns));
    }

    const Url url_ = parseUrl(listenAddressFor("shm"));
    std::unique_ptr<Listener> listener_;
    std::optional<RawShmPeer> peer;
    End end;
};

TEST_F(ShmPeer, EveryDescriptorItSendsIsClosed) {
    const Event any;
    for (const PacketKind kind : {PacketKind::Doorbell, PacketKind::Memory, PacketKind::Ring}) {
        for (const std::size_t count : {std::size_t{6}, std::size_t{7}, std::size_t{12}, std::size_t{40}}) {
            const std::size_t before = openDescriptors();
            ASSERT_TRUE(peer->packet(kind, 1, std::vector<int>(count, any.descriptor())));
            expectPeersFault();
            EXPECT_EQ(openDescriptors(), before) << count;
            meetAnother();
        }
    }
}

TEST_F(ShmPeer, OneDescriptorWhereNoneBelongsIsItsFaultAndClosed) {
    const Event any;
    const std::size_t before = openDescriptors();
    ASSERT_TRUE(peer->packet(PacketKind::Doorbell, 0, {any.descriptor()}));
    expectPeersFault();
    EXPECT_EQ(openDescriptors(), before);
}

TEST_F(ShmPeer, PacketsThatCannotBeAreItsFault) {
    const Event any;
    const std::vector<int> one{any.descriptor()};
    const auto refuses = [&](auto&& send) {
        ASSERT_TRUE(send());
        expectPeersFault();
        meetAnother();
    };
    refuses([&] { return peer->packet(static_cast<PacketKind>(7), 0, one); });
    refuses([&] { return peer->packet(PacketKind::Memory, 1, {}); });
    refuses([&] { return peer->packet(PacketKind::Memory, 1, one); });
    refuses([&] { return peer->packet(PacketKind::Memory, 1, std::vector<int>(6, any.descriptor())); });
    refuses([&] { return peer->packet(PacketKind::Ring, 0, {}); });
    refuses([&] { return peer->packet(PacketKind::Ring, 0, std::vector<int>(3, any.descriptor())); });
    refuses([&] { return peer->packet(PacketKind::Ring, 0, one); });  // not ring memory
    refuses([&] { return peer->packet(PacketKind::Doorbell, 0, {}, 4); });
    refuses([&] { return peer->packet(PacketKind::Doorbell, 0, {}, 16); });
    refuses([&] { return peer->passRing() && peer->passRing(); });
}

TEST_F(ShmPeer, MemoryWithoutAnOfferIsHeldToABound) {
    const UniqueFd any(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));  // as a peer-death socket
    const std::size_t before = openDescriptors();
    for (std::uint32_t ring = 1; ring <= 16; ++ring) {
        ASSERT_TRUE(peer->packet(PacketKind::Memory, ring, {any.get(), any.get()}));
    }
    settle();
    EXPECT_EQ(openDescriptors(), before + 2 * 16);
    ASSERT_TRUE(peer->packet(PacketKind::Memory, 17, {any.get(), any.get()}));
    expectPeersFault();
    end.connection = {};
    EXPECT_EQ(openDescriptors(), before - 3) << "those of the connection are gone too";
}

TEST_F(ShmPeer, AnOfferWithoutItsMemoryIsItsFault) {
    const UniqueFd any(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));  // as a peer-death socket
    const RingShape shape{wholePages(1), 1};
    EXPECT_THROW(static_cast<void>(end.path().accept(1, shape, {})), Error);
    // Memory that the peer could still shrink, or that is too small.
    const UniqueFd loose(::memfd_create("loose", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_TRUE(peer->packet(PacketKind::Memory, 2, {loose.get(), any.get()}));
    EXPECT_THROW(static_cast<void>(end.path().accept(2, shape, {})), Error);
    const auto small = FramePool::create({.slotBytes = 4096, .slotCount = 1, .hugePages = false});
    ASSERT_TRUE(peer->packet(PacketKind::Memory, 3, {small->memory()->descriptor(), any.get()}));
    EXPECT_THROW(static_cast<void>(end.path().accept(3, {small->slotBytes(), 2}, {})), Error);
    // The right one is found behind doorbells and behind memory whose offer never came.
    ASSERT_TRUE(peer->packet(PacketKind::Memory, 4, {loose.get(), any.get()}));
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(peer->packet(PacketKind::Doorbell, 0, {}));
    }
    ASSERT_TRUE(peer->packet(PacketKind::Memory, 5, {small->memory()->descriptor(), any.get()}));
    const std::size_t before = openDescriptors();
    EXPECT_TRUE(end.path().accept(5, {small->slotBytes(), 1}, {}));
    EXPECT_EQ(openDescriptors(), before) << "and nothing else is kept";
}

TEST_F(ShmPeer, ALifelineTellsWhenNobodyCanReadTheRingAnyMore) {
    const Url url = parseUrl(listenAddressFor("shm"));
    const auto listener = transportFor(url).listen(url, {});
    End source, sink;
    source.set(transportFor(url).connect(url, {}, Deadline::in(kPatience), Event()));
    sink.set(listener->accept());
    const auto offered = FramePool::create({.slotBytes = 4096, .slotCount = 3, .hugePages = false});
    source.path().offer(1, offered);
    source.path().offer(2, offered);
    const UniqueFd deathSocket = source.path().takeDeathSocket(1);
    const UniqueFd second = source.path().takeDeathSocket(2);
    EXPECT_TRUE(deathSocket);
    EXPECT_FALSE(source.path().takeDeathSocket(1)) << "once";
    EXPECT_FALSE(source.path().takeDeathSocket(7)) << "never offered";
    source.serve();
    sink.serve();
    auto mapped = sink.path().accept(1, {offered->slotBytes(), 3}, {});
    ASSERT_TRUE(mapped);
    EXPECT_FALSE(waitReadable({deathSocket.get()}, 0s));
    source = {};
    sink = {};
    EXPECT_TRUE(waitReadable({second.get()}, 0s)) << "what was never taken is given up with the connection";
    EXPECT_FALSE(waitReadable({deathSocket.get()}, 50ms)) << "it outlives the connection";
    auto first = mapped->adopt(0);
    auto other = mapped->adopt(1);
    ASSERT_TRUE(first && other);
    std::uint16_t told = 77;
    mapped->tellThroughDeathSocket();
    ASSERT_EQ(::recv(deathSocket.get(), &told, sizeof told, MSG_DONTWAIT), 2);
    EXPECT_EQ(told, 2) << "the one that nobody holds";
    mapped.reset();
    EXPECT_FALSE(waitReadable({deathSocket.get()}, 0s));
    other.reset();
    ASSERT_EQ(::recv(deathSocket.get(), &told, sizeof told, MSG_DONTWAIT), 2);
    EXPECT_EQ(told, 1);
    first.reset();
    ASSERT_EQ(::recv(deathSocket.get(), &told, sizeof told, MSG_DONTWAIT), 2);
    EXPECT_EQ(told, 0);
    EXPECT_EQ(::recv(deathSocket.get(), &told, sizeof told, MSG_DONTWAIT), 0) << "and the ring is given up";
}

/// A pool forwarded to one more process.
struct Hop {
    explicit Hop(const std::shared_ptr<FramePool>& pool) {
        const Url url = parseUrl(listenAddressFor("shm"));
        const auto listener = transportFor(url).listen(url, {});
        source.set(transportFor(url).connect(url, {}, Deadline::in(kPatience), Event()));
        sink.set(listener->accept());
        source.path().offer(1, pool);
        deathSocket = source.path().takeDeathSocket(1);
        source.serve();
        sink.serve();
        mapped = sink.path().accept(1, {pool->slotBytes(), pool->slotCount()}, {});
    }
    End source, sink;
    UniqueFd deathSocket;
    std::shared_ptr<FramePool> mapped;
};

TEST_F(ShmPeer, AViewerBehindRelaysThatAreGoneIsWaitedFor) {
    const auto origin = FramePool::create({.slotBytes = 4096, .slotCount = 3, .hugePages = false});
    std::optional<Hop> first(origin), second(first->mapped), third(second->mapped);
    auto viewed = std::move(third->mapped);
    const UniqueFd own = std::move(first->deathSocket);
    first.reset();
    second.reset();
    third.reset();
    EXPECT_FALSE(waitReadable({own.get()}, 50ms)) << "the relays are gone, and the viewer reads the ring";
    EXPECT_FALSE(viewed->takenBack());
    viewed.reset();
    EXPECT_TRUE(waitReadable({own.get()}, 0s));
}

TEST_F(ShmPeer, AViewerBehindRelaysHearsWhatTheOwnerTakesBack) {
    const auto origin = FramePool::create({.slotBytes = 4096, .slotCount = 3, .hugePages = false});
    const Hop first(origin), second(first.mapped), third(second.mapped);
    EXPECT_FALSE(third.mapped->takenBack());
    FramePool::takeBack(second.deathSocket.get());
    EXPECT_FALSE(first.mapped->takenBack()) << "only those behind the relay that said so";
    EXPECT_TRUE(second.mapped->takenBack() && third.mapped->takenBack());
    const Hop other(first.mapped);
    EXPECT_FALSE(other.mapped->takenBack());
    FramePool::takeBack(first.deathSocket.get());
    EXPECT_TRUE(other.mapped->takenBack());
}

TEST_F(ShmPeer, LifelinesArePassedOnUpToABound) {
    std::vector<std::shared_ptr<FramePool>> pools{
        FramePool::create({.slotBytes = 4096, .slotCount = 1, .hugePages = false})};
    for (std::size_t hops = 1; hops <= 7; ++hops) {
        pools.push_back(Hop(pools.back()).mapped);
        ASSERT_TRUE(pools.back());
        EXPECT_EQ(pools.back()->deathSockets().size(), std::min(hops, shm::kMaxDeathSockets));
    }
}

TEST_F(ShmPeer, RecordsThatCannotBeAreItsFault) {
    FrameInfo info;
    info.payloadBytes = 100;
    const auto refuses = [&](auto&& write) {
        ASSERT_TRUE(peer->passRing());
        ASSERT_TRUE(write());
        expectPeersFault();
        EXPECT_TRUE(end.arrived.empty());
        meetAnother();
    };
    refuses([&] { return peer->record(99, bytesOf(info)); });
    refuses([&] { return peer->record(static_cast<std::uint32_t>(RecordKind::Message), {}); });
    refuses([&] { return peer->record(static_cast<std::uint32_t>(RecordKind::Frame), {}); });
    refuses([&] { return peer->frame(1, 0, info, kFrameInfoHeadBytes - 1); });
    refuses([&] { return peer->frame(1, 0, info, kFrameInfoHeadBytes + 8); });
    info.rectCount = 17;
    refuses([&] { return peer->frame(1, 0, info, kFrameInfoBytes); });
    info.rectCount = 16;
    refuses([&] { return peer->frame(1, 0, info, kFrameInfoBytes - 8); });
    info.rectCount = 65535;
    refuses([&] { return peer->frame(1, 0, info, kFrameInfoBytes); });
}

TEST_F(ShmPeer, ItsLastWordsAreHeardAndHaveAnEnd) {
    ASSERT_TRUE(peer->passRing());
    const auto kind = static_cast<std::uint32_t>(RecordKind::Message);
    const std::array<std::byte, 1000> word{};
    ASSERT_TRUE(peer->record(kind, word));
    ASSERT_TRUE(peer->record(kind, word));
    peer->hangUp();
    settle();
    EXPECT_TRUE(end.closed);
    EXPECT_EQ(end.messages.size(), 2U);

    meetAnother();
    ASSERT_TRUE(peer->passRing());
    settle();
    peer->hangUp();
    // Its process has closed the socket but continues to write into the memory.
    std::size_t turns = 0;
    while (!end.closed && turns < 10'000) {
        while (peer->record(kind, word)) {
        }
        static_cast<void>(end.channel().readyToSleep());
        end.serve();
        ++turns;
    }
    EXPECT_TRUE(end.closed);
    EXPECT_LT(turns, 1000U);
}

TEST(ShmUsers, OnlyProcessesOfOneUserMeet) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can become another user";
    }
    constexpr uid_t kOther = 65534;
    const Url url = parseUrl(listenAddressFor("shm"));
    const auto listener = transportFor(url).listen(url, {});
    // 0: refused with an error. 1: accepted.
    const pid_t child = ::fork();
    if (child == 0) {
        int result = 3;
        if (::setuid(kOther) == 0) {
            try {
                static_cast<void>(transportFor(url).connect(url, {}, Deadline::in(kPatience), Event()));
                result = 1;
            } catch (const Error& error) {
                const bool told = std::string(error.what()).find("another user") != std::string::npos &&
                                  error.kind() == ErrorKind::Network && !error.remedy().empty();
                result = told ? 0 : 2;
            }
        }
        ::_exit(result);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_FALSE(listener->accept()) << "the listener, too, turns it away";

    // Conversely, root does not connect to a user's listener.
    const KernelPipe ready;
    const Url theirs = parseUrl(listenAddressFor("shm"));
    const pid_t serving = ::fork();
    if (serving == 0) {
        if (::setuid(kOther) == 0) {
            const auto listening = transportFor(theirs).listen(theirs, {});
            static_cast<void>(::write(ready.writing.get(), "r", 1));
            waitReadable({listening->waitDescriptor()}, kPatience);
            ::_exit(listening->accept() ? 1 : 0);
        }
        ::_exit(3);
    }
    char letter = 0;
    ASSERT_EQ(::read(ready.reading.get(), &letter, 1), 1);
    EXPECT_THROW(
        static_cast<void>(transportFor(theirs).connect(theirs, {}, Deadline::in(kPatience), Event())), Error);
    ASSERT_EQ(::waitpid(serving, &status, 0), serving);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ShmUsers, OneWhomTheKernelDoesNotNameIsAnotherUser) {
    const Url url = parseUrl(listenAddressFor("shm"));
    const auto listener = transportFor(url).listen(url, {});
    // In a user namespace without a map, all users look like one. 0: refused. 1: taken for itself.
    const pid_t child = ::fork();
    if (child == 0) {
        int result = 2;
        if (::unshare(CLONE_NEWUSER) == 0) {
            try {
                static_cast<void>(transportFor(url).connect(url, {}, Deadline::in(kPatience), Event()));
                result = 1;
            } catch (const Error&) {
                result = 0;
            }
        }
        ::_exit(result);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == 2) {
        GTEST_SKIP() << "this machine makes no user namespace";
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace verbcast::testing
