// Two machines: frames over a real network device, and a peer whose link goes down without notice.
// Each host runs its own half: rdma_tests --gtest_filter=TwoHosts.source on 10.77.0.1, TwoHosts.sink
// on 10.77.0.2.
#include <cstdlib>
#include <cstring>

#include "core/base/os/clock.h"
#include "tests/core/transport/rdma/verbs_device.h"

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kBytes = 6'000'000;
constexpr std::uint32_t kSlots = 3;
constexpr std::uint64_t kFrames = 12;
constexpr const char* kUrl = "verbs://10.77.0.2:7423";

class TwoHosts : public VerbsTest {
  protected:
    void SetUp() override {
        VerbsTest::SetUp();
        if (std::getenv("VERBCAST_GUEST_HOST") == nullptr) {
            GTEST_SKIP() << "NOT TESTED: needs two machines, run through tests/support/guest --two-hosts";
        }
    }
};

std::string asText(std::uint32_t value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// The other machine may still be booting.
Connection connectWithPatience() {
    const Event cancel;
    const TimestampNs deadline = nowNs() + std::chrono::nanoseconds(kPatience).count();
    while (true) {
        try {
            return connectVerbs(parseUrl(kUrl), {.sendsFrames = true}, std::chrono::seconds(5), cancel);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Network || nowNs() > deadline) {
                throw;
            }
            waitReadable({cancel.descriptor()}, std::chrono::milliseconds(200));
        }
    }
}

TEST_F(TwoHosts, source) {
    End end(connectWithPatience());
    std::cout << end.messages()->description().detail << "\n";
    const auto pool = makePool(kBytes, 2);
    end.frames()->prepare(pool);
    std::vector<std::uint32_t> credits;
    std::vector<std::uint32_t> local{0, 1};
    std::size_t messages = 0;
    bool lost = false;
    std::uint64_t sequence = 0;
    const auto step = [&] {
        while (credits.empty() && !end.seen.rings.empty() && sequence == 0) {
            credits = {0, 1, 2};
        }
        for (; messages < end.seen.messages.size(); ++messages) {
            if (end.seen.messages[messages] == "enough") {
                EXPECT_EQ(end.send("go"), Status::Ok);
                lost = true;
            } else {
                std::uint32_t slot = 0;
                std::memcpy(&slot, end.seen.messages[messages].data(), sizeof slot);
                credits.push_back(slot);
            }
        }
        local.insert(local.end(), end.seen.sent.begin(), end.seen.sent.end());
        end.seen.sent.clear();
        // After "go" the sink neither returns credits nor reads frames: the slots granted before are enough.
        while (!local.empty() && (!credits.empty() || lost) && (lost || sequence < kFrames)) {
            const std::uint32_t slot = credits.empty() ? 0 : credits.back();
            fillPattern({pool->slotData(local.back()), kBytes}, sequence);
            FrameInfo info;
            info.sequence = sequence;
            info.payloadBytes = kBytes;
            info.inputSequence = hashOf({pool->slotData(local.back()), kBytes});
            if (end.frames()->send({pool, local.back(), 1, slot, info}) != Status::Ok) {
                break;
            }
            ++sequence;
            local.pop_back();
            if (!credits.empty()) {
                credits.pop_back();
            }
        }
        return end.closed;
    };
    ASSERT_TRUE(drive({&end}, [&] { return step() || lost; }));
    ASSERT_FALSE(end.closed) << end.closeReason();
    const TimestampNs start = nowNs();
    ASSERT_TRUE(drive({&end}, step));
    std::cout << "the dead link was noticed " << static_cast<double>(nowNs() - start) / 1e9
              << " s after the last message: " << end.closeReason() << "\n";
    EXPECT_NE(end.closeReason().find("transport retry counter exceeded (12)"), std::string::npos)
        << end.closeReason();
}

TEST_F(TwoHosts, sink) {
    auto listener = listenVerbs(parseUrl(kUrl), {});
    End end(acceptOne(*listener));
    ASSERT_TRUE(end.connection);
    const auto pool = makePool(kBytes, kSlots);
    end.offer(1, pool);
    std::size_t handled = 0;
    const auto step = [&] {
        for (; handled < end.seen.frames.size(); ++handled) {
            const Recorder::Frame& frame = end.seen.frames[handled];
            EXPECT_EQ(frame.info.sequence, handled);
            EXPECT_EQ(frame.info.inputSequence, hashOf({pool->slotData(frame.slot), kBytes}))
                << "frame " << handled;
            EXPECT_EQ(end.send(asText(frame.slot)), Status::Ok);
        }
        return handled == kFrames;
    };
    ASSERT_TRUE(drive({&end}, step)) << end.closeReason();
    ASSERT_EQ(end.send("enough"), Status::Ok);
    ASSERT_TRUE(drive({&end}, [&] { return !end.seen.messages.empty(); }));
    EXPECT_EQ(end.seen.messages[0], "go");
    ASSERT_EQ(std::system("ip link set eth0 down"), 0);
}

}  // namespace
}  // namespace verbcast::testing
