// Memory windows: each gives one peer access to its range while it is open. A peer that keeps a key and
// writes later changes nothing.
#include <algorithm>
#include <future>

#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/rdma/verbs/device_addresses.h"
#include "core/transport/rdma/verbs/verbs_connect.h"
#include "tests/core/transport/rdma/hostile_peer.h"
#include "tests/core/transport/rdma/verbs_device.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kPart = 4096;
constexpr std::byte kBefore{0x11};
constexpr std::byte kWritten{0x66};  // what HostilePeer writes

/// One of our queues with memory in three parts, the middle of which can be opened to the peer.
class Session {
  public:
    explicit Session(const Url& at)
        : owner_(listenOnVerbs(at, parseVerbsOptions(at), {}), goodGreeting(), true) {
        auto serving = std::async(std::launch::async, [this] { owner_.serveOne(); });
        Url target = at;
        target.port = owner_.port();
        const VerbsOptions verbs = parseVerbsOptions(target);
        const Event cancel;
        peer_.emplace(openVerbsQueue(peerAddressesFor(target, verbs, Deadline::in(kPatience), cancel).at(0),
                                     verbs, {}, Deadline::in(kPatience), cancel),
                      goodGreeting());
        serving.get();
        std::ranges::fill(memory_, kBefore);
        middle_ = queue().domain()->registerMemory(std::span(memory_).subspan(kPart, kPart),
                                                   MemoryUse::RemoteWrite);
    }
    ~Session() { queue().stop(); }

    QueuePort& queue() const { return owner_.queue(); }
    std::uint64_t registrationsKey() const { return middle_->remoteKey; }
    /// Returns the key once the device has opened the window.
    std::uint64_t openMiddle() {
        const std::uint64_t key = queue().openWindow(
            {.memory = middle_.get(), .bytes = std::span(memory_).subspan(kPart, kPart), .workId = 1});
        Completion completion;
        const Deadline deadline = Deadline::in(kPatience);
        while (queue().poll({&completion, 1}) == 0 && !deadline.passed()) {
            std::this_thread::yield();
        }
        EXPECT_EQ(completion.kind, Completion::Kind::Sent) << queue().statusText(completion);
        return key;
    }
    /// The peer writes the middle part, shifted by `beyond` bytes. Returns "" on success, else the error.
    std::string write(std::uint64_t key, std::int64_t beyond = 0) {
        return peer_->writeBytes(middle_->remoteAddress + static_cast<std::uint64_t>(beyond), key, kPart);
    }
    bool holds(std::byte value) const {
        return std::all_of(memory_.begin() + kPart, memory_.begin() + 2 * kPart,
                           [=](std::byte one) { return one == value; });
    }
    bool isUntouched() const {
        return std::ranges::all_of(memory_, [](std::byte one) { return one == kBefore; });
    }
    void rewrite() { std::ranges::fill(memory_, kBefore); }

  private:
    std::vector<std::byte> memory_{3 * kPart};
    HostileListener owner_;
    std::optional<HostilePeer> peer_;
    std::unique_ptr<RegisteredMemory> middle_;
};

class VerbsWindow : public VerbsTest {
  protected:
    void SetUp() override {
        VerbsTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure() && !Session(url(0)).queue().limits().windows) {
            GTEST_SKIP() << "NOT TESTED: " << device_.name << " has no memory windows of type 2";
        }
    }
};

TEST_F(VerbsWindow, areListedWhereOneCanBeMade) {
    for (const RdmaDevice& device : rdmaDevices()) {
        if (device.name == device_.name) {
            EXPECT_TRUE(device.memoryWindows);
        }
    }
}

TEST_F(VerbsWindow, aLateWriteDoesNotLand) {
    Session session(url(0));
    const std::uint64_t key = session.openMiddle();
    ASSERT_EQ(session.write(key), "") << "while it is open";
    EXPECT_TRUE(session.holds(kWritten));
    session.rewrite();
    session.queue().closeWindow(key);
    const std::string refused = session.write(key);
    EXPECT_NE(refused.find("remote access error"), std::string::npos) << refused;
    EXPECT_TRUE(session.isUntouched());
}

TEST_F(VerbsWindow, accessEndsWithTheSession) {
    Session session(url(0));
    const std::uint64_t key = session.openMiddle();
    ASSERT_EQ(session.write(key), "");
    session.queue().stop();
    session.rewrite();  // it stays registered
    EXPECT_NE(session.write(key), "");
    EXPECT_TRUE(session.isUntouched());
}

// The window covers the whole registration, as a ring's does: rxe in Linux 6.1 checks only the registration's
// range.
TEST_F(VerbsWindow, opensItsRangeAndNothingBesides) {
    for (const std::int64_t beyond :
         {-std::int64_t{kPart}, std::int64_t{-1}, std::int64_t{1}, std::int64_t{kPart}}) {
        SCOPED_TRACE(beyond);
        Session session(url(0));
        const std::uint64_t key = session.openMiddle();
        EXPECT_NE(session.write(key, beyond), "");
        EXPECT_TRUE(session.isUntouched());
    }
}

TEST_F(VerbsWindow, theKeyOfTheRegistrationOpensNothing) {
    Session session(url(0));
    session.openMiddle();
    EXPECT_NE(session.write(session.registrationsKey()), "");
    EXPECT_TRUE(session.isUntouched());

    Session without(url(0, "&windows=off"));
    ASSERT_FALSE(without.queue().limits().windows);
    EXPECT_EQ(without.write(without.registrationsKey()), "") << "as for devices without windows";
    EXPECT_TRUE(without.holds(kWritten));
}

TEST_F(VerbsWindow, theKeyOfAnotherPeerOpensNothing) {
    Session session(url(0));
    Session other(url(0));
    const std::uint64_t key = session.openMiddle();
    other.openMiddle();
    EXPECT_NE(other.write(key), "");
    EXPECT_TRUE(other.isUntouched());
    EXPECT_TRUE(session.isUntouched());
    EXPECT_EQ(session.write(key), "");
}

}  // namespace
}  // namespace verbcast::testing
