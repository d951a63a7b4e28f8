#include "core/memory/frame_pool.h"
#include "tests/support/expectations.h"
#include "tests/support/kernel_pipe.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <set>
#include <thread>

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<FramePool> smallPool(std::uint32_t slots) {
    return FramePool::create({.slotBytes = 5000, .slotCount = slots});
}

TEST(FramePool, SlotsArePageAlignedDisjointAndZero) {
    const auto pool = smallPool(3);
    EXPECT_EQ(pool->slotBytes() % 4096, 0U);
    std::set<std::byte*> starts;
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        starts.insert(pool->slotData(slot));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pool->slotData(slot)) % 4096, 0U);
        EXPECT_EQ(pool->slotData(slot)[4999], std::byte{0});
    }
    EXPECT_EQ(starts.size(), 3U);
}

TEST(FramePool, ASlotIsFreeWhenItsLastLeaseIsGone) {
    const auto pool = smallPool(2);
    auto first = pool->tryAcquire();
    auto second = pool->tryAcquire();
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->slot(), second->slot());
    EXPECT_FALSE(pool->tryAcquire());
    FrameLease shared = first->share();
    first.reset();
    EXPECT_EQ(pool->slots().freeCount(), 0U) << "the shared lease still holds it";
    const std::uint32_t slot = shared.slot();
    shared.reset();
    EXPECT_EQ(pool->slots().freeCount(), 1U);
    EXPECT_EQ(pool->tryAcquire()->slot(), slot);
}

TEST(FramePool, WakesOnceEnoughSlotsAreFree) {
    const auto pool = smallPool(80);  // more than one word of the free set
    std::array<std::optional<FrameLease>, 80> leases;
    for (auto& lease : leases) {
        lease = pool->tryAcquire();
    }
    pool->slots().wakeFrom(3);
    pool->slots().freed().arm();
    leases[0]->reset();
    leases[70]->reset();
    EXPECT_FALSE(waitReadable({pool->slots().freed().descriptor()}, 0ns)) << "with 2 of 3";
    leases[71]->reset();
    EXPECT_TRUE(waitReadable({pool->slots().freed().descriptor()}, 0ns));
}

TEST(FramePool, LeasesKeepThePoolAlive) {
    auto pool = smallPool(1);
    auto lease = pool->tryAcquire();
    std::weak_ptr<FramePool> watch = pool;
    pool.reset();
    lease->data()[0] = std::byte{42};
    EXPECT_FALSE(watch.expired());
    lease.reset();
    EXPECT_TRUE(watch.expired());
}

TEST(FramePool, OnlyTakenSlotsCanBeAdopted) {
    const auto pool = smallPool(2);
    EXPECT_FALSE(pool->adopt(0)) << "free";
    pool->slots().takeFree([](std::uint32_t) {});
    EXPECT_EQ(pool->slots().freeCount(), 0U);
    EXPECT_FALSE(pool->adopt(2)) << "does not exist";
    auto lease = pool->adopt(1);
    ASSERT_TRUE(lease);
    EXPECT_FALSE(pool->adopt(1)) << "leased";
    EXPECT_TRUE(pool->slots().isTaken(0));
    EXPECT_FALSE(pool->slots().isTaken(1));
    lease.reset();
    EXPECT_EQ(pool->slots().freeCount(), 1U);
    pool->slots().reclaimTaken();
    EXPECT_EQ(pool->slots().freeCount(), 2U);
}

TEST(FramePool, AcquireWakesWhenASlotIsReleasedAndWhenCancelled) {
    const auto pool = smallPool(1);
    auto held = pool->tryAcquire();
    EXPECT_FALSE(pool->acquire(1ms));
    Event cancel;
    std::thread releaser([&] { held.reset(); });
    EXPECT_TRUE(pool->acquire(10s, &cancel));
    releaser.join();
    held = pool->tryAcquire();
    std::thread canceller([&] { cancel.notify(); });
    EXPECT_FALSE(pool->acquire(3600s, &cancel));
    canceller.join();
}

TEST(FramePool, AcquireWithoutATimeoutEndsWithALeaseOrCancelled) {
    const auto pool = smallPool(1);
    auto held = pool->tryAcquire();
    const Event cancel;
    std::thread releaser([&] { held.reset(); });
    FrameLease lease;
    EXPECT_EQ(pool->acquire(lease, cancel), Status::Ok);
    releaser.join();
    ASSERT_TRUE(lease);
    std::thread canceller([&] { cancel.notify(); });
    FrameLease another;
    EXPECT_EQ(pool->acquire(another, cancel), Status::Cancelled);
    canceller.join();
    EXPECT_FALSE(another);
    lease.reset();
    EXPECT_EQ(pool->acquire(another, cancel), Status::Cancelled);  // although there is one
}

TEST(FramePool, ManyThreadsNeverShareASlot) {
    const auto pool = smallPool(7);
    std::array<std::atomic<int>, 7> users{};
    std::atomic<bool> clash{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 5000; ++i) {
                if (auto lease = pool->tryAcquire()) {
                    clash = clash || users[lease->slot()].fetch_add(1) != 0;
                    FrameLease shared = lease->share();
                    users[lease->slot()].fetch_sub(1);
                }
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_FALSE(clash);
    EXPECT_EQ(pool->slots().freeCount(), 7U);
}

TEST(FramePool, APeerCanReadAndNeitherWriteNorShrinkIt) {
    const auto pool = smallPool(2);
    pool->slotData(1)[7] = std::byte{99};
    EXPECT_NE(::ftruncate(pool->memory()->descriptor(), 0), 0);
    EXPECT_EQ(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, pool->memory()->descriptor(), 0),
              MAP_FAILED);
    const auto peer = FramePool::mapPeer(UniqueFd(::dup(pool->memory()->descriptor())), pool->slotBytes(), 2);
    EXPECT_EQ(peer->slotData(1)[7], std::byte{99});
    EXPECT_EQ(peer->slots().freeCount(), 0U);
    EXPECT_TRUE(peer->slots().isTaken(0));
}

TEST(FramePool, PeersMemoryIsCheckedBeforeItIsMapped) {
    UniqueFd plain(::memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(::ftruncate(plain.get(), 1 << 20), 0);
    EXPECT_THROW(FramePool::mapPeer(UniqueFd(::dup(plain.get())), 4096, 4), Error)
        << "it could be shrunk under us";
    const auto pool = smallPool(2);
    EXPECT_THROW(FramePool::mapPeer(UniqueFd(::dup(pool->memory()->descriptor())), pool->slotBytes(), 3),
                 Error)
        << "smaller than said";
    EXPECT_THROW(FramePool::mapPeer(UniqueFd(::dup(pool->memory()->descriptor())), pool->slotBytes(), 0),
                 Error);
    EXPECT_THROW(FramePool::mapPeer(UniqueFd(::dup(pool->memory()->descriptor())), 4097, 1), Error);
    EXPECT_THROW(FramePool::mapPeer(UniqueFd(::dup(pool->memory()->descriptor())), ~0ULL - 4095, 256), Error)
        << "overflow";
}

TEST(FramePool, MapsAPartOfAFile) {
    const UniqueFd file(::memfd_create("file", MFD_CLOEXEC));
    const std::string text = std::string(4096, 'a') + std::string(4096, 'b') + std::string(4096, 'c');
    ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    const auto pool = FramePool::mapFile(file.get(), 4096, 4096, 2);
    ASSERT_TRUE(pool);
    EXPECT_EQ(pool->slotData(0)[0], std::byte{'b'});
    EXPECT_EQ(pool->slotData(1)[4095], std::byte{'c'});
    EXPECT_FALSE(pool->tryAcquire()) << "its slots are the caller's to hand out";
    EXPECT_TRUE(pool->adopt(1));
    const KernelPipe pipe;
    EXPECT_FALSE(FramePool::mapFile(pipe.reading.get(), 0, 4096, 1)) << "a pipe cannot be mapped";
}

TEST(FramePool, TooMuchMemoryIsRefusedWithTheRemedy) {
    const Error error =
        thrownBy([&] { FramePool::create({.slotBytes = std::uint64_t{1} << 42, .slotCount = 64}); });
    EXPECT_EQ(error.kind(), ErrorKind::Resource);
    EXPECT_TRUE(contains(error.remedy(), "--slots"));
    EXPECT_THROW(FramePool::create({.slotBytes = 4096, .slotCount = 0}), Error);
    EXPECT_THROW(FramePool::create({.slotBytes = 4096, .slotCount = 257}), Error);
}

}  // namespace
}  // namespace verbcast::testing
