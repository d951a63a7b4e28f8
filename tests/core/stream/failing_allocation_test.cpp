// Running out of memory or threads between two steps that belong together. A separate program, because it
// replaces operator new and pthread_create().
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <cerrno>
#include <cstdlib>
#include <new>

#include "core/flow/source_ledger.h"
#include "core/stream/audience.h"
#include "tests/core/session/fake_path.h"
#include "tests/core/session/memory_channel.h"

namespace {
// These affect only the test's own thread.
thread_local bool outOfMemory = false;
thread_local int allocationsLeft = -1;  // successful allocations before memory runs out; negative: unlimited
thread_local bool outOfThreads = false;

bool mayAllocate() {
    outOfMemory = outOfMemory || allocationsLeft == 0;
    allocationsLeft -= allocationsLeft > 0 ? 1 : 0;
    return !outOfMemory;
}
}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
    static const auto real =
        reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
    return outOfThreads ? EAGAIN : real(thread, attributes, start, argument);
}

void* operator new(std::size_t bytes) {
    void* const memory = mayAllocate() ? std::malloc(bytes) : nullptr;
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace verbcast::testing {
namespace {

TEST(OutOfMemory, AFrameThatTheTransportHasTakenKeepsItsSlot) {
    FakePath path(false);
    path.sent.reserve(1);
    path.whenSent = [] { outOfMemory = true; };
    SourceLedger ledger(path, 0);
    const auto frames = pool();
    ledger.addSource(frames, 0);
    ledger.takeRing(ringOf(1));
    Credit credit;
    credit.ring = 1;
    credit.slots.push(2);
    ledger.takeCredit(credit, [](std::uint64_t) {});
    Status status = Status::Closed;
    try {
        status = ledger.send(std::move(*frames->tryAcquire()), frame(0));
    } catch (const std::bad_alloc&) {
    }
    outOfMemory = false;
    EXPECT_EQ(status, Status::Ok);
    EXPECT_EQ(frames->slots().freeCount(), 3U) << "the transport still reads it";
}

struct NoCopies : FrameCopier {
    QueuedFrame copy(const QueuedFrame&, const std::string&) override { return {}; }
};

/// A lossless audience that keeps three frames for a receiver that has lost its connection.
class WhoIsAway : public ::testing::Test {
  protected:
    static constexpr std::uint64_t kInstance = 7;
    static constexpr std::uint32_t kKept = 3;

    void SetUp() override {
        const auto epoch = std::make_shared<const Epoch>(
            Epoch{kMainTrack, TrackFormat::ofVideo(tightFormat(32, 32, PixelFormat::rgba))});
        audience_.setCurrent({epoch, frames_});
        ASSERT_TRUE(comes());
        NoCopies copier;
        for (std::uint64_t sequence = 0; sequence < kKept; ++sequence) {
            audience_.distribute({*frames_->tryAcquire(), frame(sequence, 4096), epoch}, copier);
        }
        while (audience_.count() > 0) {  // the peer is silent and times out
            waitReadable({audience_.ended().descriptor()}, Deadline::never());
            audience_.removeEnded();
        }
        ASSERT_EQ(held(), kKept);
    }

    /// The receiver connects (again). Returns false if it could not be served.
    bool comes() {
        PeerConnection peer;
        peer.connection.messages = channels_.emplace_back(MemoryChannel::pair()).first;
        peer.connection.frames = std::make_shared<FakePath>(false);
        peer.hello.role = Role::Receiver;
        peer.hello.instance = kInstance;
        bool served = true;
        outOfThreads = threadsFail_;
        allocationsLeft = allocations_;
        try {
            audience_.add(std::move(peer));
        } catch (const std::exception&) {
            served = false;
        }
        outOfThreads = outOfMemory = false;
        allocationsLeft = -1;
        return served;
    }
    std::uint32_t held() const { return frames_->slotCount() - frames_->slots().freeCount(); }

    const std::shared_ptr<FramePool> frames_ = pool();
    std::vector<std::pair<std::shared_ptr<MemoryChannel>, std::shared_ptr<MemoryChannel>>> channels_;
    static AudienceOptions options() {
        AudienceOptions options;
        options.policy = Policy::Lossless;
        options.peerTimeout = std::chrono::milliseconds(50);
        return options;
    }
    Audience audience_{options()};
    int allocations_ = -1;  // number that succeed when a receiver connects; negative: all
    bool threadsFail_ = false;
};

TEST_F(WhoIsAway, KeepsItsFramesWhenThereIsNoMemoryToServeIt) {
    allocations_ = 0;
    for (; !comes(); ++allocations_) {
        ASSERT_EQ(held(), kKept) << "after " << allocations_ << " allocations";
        ASSERT_EQ(audience_.count(), 0U);
    }
    EXPECT_GT(allocations_, 5) << "the link itself needs as many";
    EXPECT_EQ(held(), kKept) << "and it has them";
    EXPECT_EQ(audience_.shared().totals[&StreamStats::framesLost], 0U);
}

TEST_F(WhoIsAway, KeepsItsFramesWhenThereIsNoThreadToServeIt) {
    threadsFail_ = true;
    EXPECT_FALSE(comes());
    EXPECT_EQ(held(), kKept);
    threadsFail_ = false;
    EXPECT_TRUE(comes());
    EXPECT_EQ(held(), kKept);
    EXPECT_EQ(audience_.shared().totals[&StreamStats::framesLost], 0U);
}

}  // namespace
}  // namespace verbcast::testing
