// The rings of the shm transport: order over many wraps, full rings, sleeping, and a peer that lies.
#include "core/transport/shm/shm_ring.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "core/base/error.h"

namespace verbcast::testing {
namespace {

using namespace shm;

UniqueFd duplicateOf(int descriptor) {
    return UniqueFd(::dup(descriptor));
}

class ShmRing : public ::testing::Test {
  protected:
    ShmRing() { consumer_.attach(RingMemory::map(duplicateOf(producer_.descriptor()))); }

    bool write(std::span<const std::byte> bytes) {
        const std::array<std::span<const std::byte>, 2> parts{bytes.first(bytes.size() / 2),
                                                              bytes.subspan(bytes.size() / 2)};
        return producer_.write(parts);
    }
    bool write(std::size_t size) { return write(std::vector<std::byte>(size)); }

    /// The ring's memory as a hostile peer sees it.
    RingMemory asPeer() { return RingMemory::map(duplicateOf(producer_.descriptor())); }

    RingProducer producer_;
    RingConsumer consumer_;
    std::array<std::byte, 4096> buffer_{};
};

TEST_F(ShmRing, RecordsOfAllSizesArriveInOrderOverManyWraps) {
    std::mt19937 random(1);
    std::vector<std::vector<std::byte>> waiting;
    std::size_t read = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::vector<std::byte> record(1 + random() % buffer_.size());
        for (std::byte& b : record) {
            b = static_cast<std::byte>(random());
        }
        while (!write(record)) {
            const auto got = consumer_.read(buffer_);
            ASSERT_TRUE(std::equal(got.begin(), got.end(), waiting[read].begin(), waiting[read].end()));
            waiting[read++].clear();
        }
        waiting.push_back(std::move(record));
    }
    for (; read < waiting.size(); ++read) {
        const auto got = consumer_.read(buffer_);
        ASSERT_TRUE(std::equal(got.begin(), got.end(), waiting[read].begin(), waiting[read].end()));
    }
    EXPECT_TRUE(consumer_.empty());
    EXPECT_TRUE(consumer_.read(buffer_).empty());
}

TEST_F(ShmRing, FullRingTakesNothingAndAsksForTheDoorbellOnce) {
    while (write(1000)) {
    }
    EXPECT_TRUE(producer_.waitForRoom());
    int rung = 0;
    while (!consumer_.read(buffer_).empty()) {
        rung += consumer_.takeProducerWaits() ? 1 : 0;
    }
    EXPECT_EQ(rung, 1);
    EXPECT_FALSE(producer_.waitForRoom());
    EXPECT_TRUE(write(1000));
}

TEST_F(ShmRing, OnlyASleeperIsRung) {
    ASSERT_TRUE(write(10));
    EXPECT_FALSE(producer_.wakeConsumer());
    EXPECT_FALSE(consumer_.sleep(Sleep::OnSocket)) << "there is a record";
    ASSERT_FALSE(consumer_.read(buffer_).empty());
    EXPECT_TRUE(consumer_.sleep(Sleep::OnSocket));
    ASSERT_TRUE(write(10));
    EXPECT_TRUE(producer_.wakeConsumer());
    ASSERT_TRUE(write(10));
    EXPECT_FALSE(producer_.wakeConsumer()) << "it has been rung";
}

TEST_F(ShmRing, NoWakeUpIsLostBetweenTwoThreads) {
    constexpr int kRecords = 200'000;
    std::atomic<bool> rung{false};
    std::jthread consuming([&] {
        for (int i = 0; i < kRecords;) {
            if (!consumer_.read(buffer_).empty()) {
                ++i;
            } else if (consumer_.sleep(Sleep::OnSocket)) {
                rung.wait(false);  // forever, if a wake-up is lost
                rung = false;
            }
        }
    });
    for (int i = 0; i < kRecords;) {
        if (write(24)) {
            ++i;
            if (producer_.wakeConsumer()) {
                rung = true;
                rung.notify_one();
            }
        } else {
            std::this_thread::yield();
        }
    }
}

TEST_F(ShmRing, NoWakeUpIsLostOnTheRingItself) {
    constexpr int kRecords = 200'000;
    std::jthread consuming([&] {
        for (int i = 0; i < kRecords;) {
            if (!consumer_.read(buffer_).empty()) {
                ++i;
            } else if (consumer_.sleep(Sleep::OnRing)) {
                const auto before = std::chrono::steady_clock::now();
                consumer_.wait(std::chrono::seconds(20));
                ASSERT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20)) << i;
            }
        }
    });
    for (int i = 0; i < kRecords;) {
        if (write(24)) {
            ++i;
            ASSERT_FALSE(producer_.wakeConsumer()) << "it sleeps on the ring, not on the socket";
        } else {
            std::this_thread::yield();
        }
    }
}

TEST_F(ShmRing, ARousedSleeperIsNotWokenAgain) {
    ASSERT_TRUE(consumer_.sleep(Sleep::OnRing));
    std::jthread sleeping([&] { consumer_.wait(std::chrono::hours(1)); });
    consumer_.rouse();
    sleeping.join();
    EXPECT_EQ(asPeer().header().consumerSleep, 0U);
}

TEST_F(ShmRing, PositionsThatCannotBeAreThePeersFault) {
    const RingMemory peer = asPeer();
    while (write(kRingBytes / 8)) {
    }
    peer.header().read = peer.header().written + 8;
    for (int again = 0; again < 3; ++again) {
        EXPECT_THROW(write(kRingBytes / 8), Error) << "nor does it make room later";
    }
    peer.header().written = kRingBytes + 8;
    EXPECT_THROW(consumer_.read(buffer_), Error);
    peer.header().written = 4;
    EXPECT_THROW(consumer_.read(buffer_), Error);
}

TEST_F(ShmRing, LengthsThatCannotBeAreThePeersFault) {
    const RingMemory peer = asPeer();
    for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{5000},
                                       ~std::uint64_t{0}, ~std::uint64_t{0} - 6}) {
        std::memcpy(peer.data(), &length, sizeof length);
        peer.header().written = 16;
        EXPECT_THROW(consumer_.read(buffer_), Error) << length;
    }
}

TEST_F(ShmRing, MemoryThatCouldShrinkOrHasAnotherSizeIsRefused) {
    UniqueFd loose(::memfd_create("loose", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(::ftruncate(loose.get(), kRingHeaderBytes + kRingBytes), 0);
    EXPECT_THROW(RingMemory::map(duplicateOf(loose.get())), Error);
    UniqueFd small(::memfd_create("small", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(::ftruncate(small.get(), 4096), 0);
    ASSERT_EQ(::fcntl(small.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
    EXPECT_THROW(RingMemory::map(duplicateOf(small.get())), Error);
}

}  // namespace
}  // namespace verbcast::testing
