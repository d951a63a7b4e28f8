// The parts that need no device: wire values, URL options, and handling of removed devices.
#include "core/transport/rdma/rdma_wire.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <new>

#include "core/base/os/event.h"
#include "core/transport/rdma/verbs/device_use.h"
#include "core/transport/rdma/verbs/verbs_handles.h"
#include "core/transport/rdma/verbs/verbs_options.h"

namespace verbcast::testing {
namespace {

TEST(RdmaWire, greetingSurvivesTheWireAndPadding) {
    RdmaGreeting greeting;
    greeting.features = kTakesImmediates;
    greeting.messageCredits = 64;
    greeting.largestWriteBytes = 0x80000000;
    greeting.voucher.fill(std::byte{0x5a});
    auto bytes = encodeGreeting(greeting);
    EXPECT_LE(bytes.size(), kMaxPrivateBytes);
    bytes.resize(kMaxPrivateBytes);
    const auto decoded = decodeGreeting(bytes);
    ASSERT_TRUE(decoded.greeting);
    EXPECT_EQ(decoded.greeting->features, kTakesImmediates);
    EXPECT_EQ(decoded.greeting->messageCredits, 64);
    EXPECT_EQ(decoded.greeting->largestWriteBytes, 0x80000000);
    EXPECT_EQ(decoded.greeting->voucher, greeting.voucher);
    EXPECT_FALSE(decodeRefusal(bytes));
}

TEST(RdmaWire, greetingsThatCannotWorkAreRefused) {
    RdmaGreeting greeting;
    EXPECT_FALSE(decodeGreeting(encodeGreeting(greeting)).greeting) << "no credits";
    greeting.messageCredits = 1;
    greeting.largestWriteBytes = 100;
    EXPECT_FALSE(decodeGreeting(encodeGreeting(greeting)).greeting) << "tiny writes";
    greeting.largestWriteBytes = 4096;
    EXPECT_TRUE(decodeGreeting(encodeGreeting(greeting)).greeting);
    greeting.version = 77;
    const auto other = decodeGreeting(encodeGreeting(greeting));
    EXPECT_FALSE(other.greeting);
    EXPECT_EQ(other.refusal, RefusalReason::Version);
    EXPECT_NE(other.problem.find("77"), std::string::npos);
    greeting.version = kRdmaWireVersion;
    auto cut = encodeGreeting(greeting);
    cut.pop_back();
    EXPECT_FALSE(decodeGreeting(cut).greeting) << "a part of it";
}

TEST(RdmaWire, offersAreCheckedIn64Bits) {
    const RingOffer good{0x7f0000000000, 0x1'0000'000b, 0x7e0000000000, 12};
    const RingOffer decoded = decodeOffer({1 << 20, 256}, encodeOffer(good));
    EXPECT_EQ(decoded.payloadAddress, 0x7f0000000000U);
    EXPECT_EQ(decoded.payloadKey, 0x1'0000'000bU);
    EXPECT_EQ(decoded.infoAddress, 0x7e0000000000U);
    EXPECT_EQ(decoded.infoKey, 12U);
    EXPECT_LE(encodeOffer(good).size(), kMaxOfferBytes);
    for (auto [count, bytes, payload, infos] :
         {std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>{4, 1ULL << 62, 1, 0},
          {2, 4096, ~0ULL - 4096, 0},
          {2, 4096, 0, ~0ULL - 200}}) {
        EXPECT_THROW(decodeOffer({bytes, count}, encodeOffer({payload, 0, infos, 0})), Error)
            << count << " x " << bytes;
    }
    auto bytes = encodeOffer(good);
    EXPECT_THROW(decodeOffer({4096, 1}, std::span(bytes).first(bytes.size() - 1)), Error);
    bytes.emplace_back();
    EXPECT_THROW(decodeOffer({4096, 1}, bytes), Error);
}

TEST(RdmaWire, immediatesHoldSlotAndRing) {
    const std::uint32_t immediate = makeImmediate(65535, 255);
    EXPECT_EQ(slotOfImmediate(immediate), 255U);
    EXPECT_EQ(ringOfImmediate(immediate), 65535U);
}

TEST(RdmaWire, onlyRectanglesThatMeanSomethingTravel) {
    FrameNotice notice;
    notice.ring = 3;
    notice.slot = 4;
    notice.record.info.rectCount = 2;
    notice.record.info.rects.fill({1, 2, 3, 4});
    const auto bytes = std::as_bytes(std::span(&notice, 1));
    EXPECT_EQ(frameNoticeBytes(notice.record.info), 16U + 72 + 16);
    const FrameNotice decoded = decodeFrameNotice(bytes.first(104));
    EXPECT_EQ(decoded.ring, 3U);
    EXPECT_EQ(decoded.slot, 4U);
    EXPECT_EQ(decoded.record.info.rects[1], (FrameRect{1, 2, 3, 4}));
    EXPECT_EQ(decoded.record.info.rects[2], FrameRect{}) << "what the peer left there";
    for (const std::size_t wrong :
         {std::size_t{0}, std::size_t{87}, std::size_t{103}, std::size_t{105}, sizeof notice}) {
        EXPECT_THROW(decodeFrameNotice(bytes.first(wrong)), Error) << wrong;
    }
    notice.record.info.rectCount = kMaxFrameRects + 1;
    EXPECT_THROW(decodeFrameNotice(bytes), Error);
}

TEST(VerbsOptions, areParsedAndWrongOnesNamed) {
    const VerbsOptions options =
        parseVerbsOptions(parseUrl("verbs://h?device=mlx5_1&port=2&gid=3&immediate=off"));
    EXPECT_EQ(options.device, "mlx5_1");
    EXPECT_EQ(options.port, 2);
    EXPECT_EQ(options.gid, 3);
    EXPECT_FALSE(options.immediate);
    for (const char* wrong :
         {"port=x", "port=0", "gid=-1", "immediate=maybe", "timeout=0", "colour=red", "device="}) {
        try {
            parseVerbsOptions(parseUrl(std::string("verbs://h?") + wrong));
            ADD_FAILURE() << wrong;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
            EXPECT_NE(std::string(error.what()).find(wrong), std::string::npos) << error.what();
        }
    }
}

TEST(VerbsOptions, timeoutBecomesTheNextExponent) {
    // 7 transmissions of 4.096 us * 2^14 are 469.8 ms.
    EXPECT_EQ(parseVerbsOptions(parseUrl("verbs://h?timeout=470")).ackTimeoutExponent, 15);
    EXPECT_EQ(parseVerbsOptions(parseUrl("verbs://h?timeout=469")).ackTimeoutExponent, 14);
}

TEST(VerbsErrors, statusesAreNamed) {
    EXPECT_EQ(completionStatusText(IBV_WC_RETRY_EXC_ERR),
              "transport retry counter exceeded (12): the peer or the link is gone");
    EXPECT_EQ(cmFailureText(RDMA_CM_EVENT_REJECTED, 8), "nobody is listening there");
    EXPECT_EQ(cmFailureText(RDMA_CM_EVENT_REJECTED, -ECONNREFUSED), "nobody is listening there");
    EXPECT_EQ(cmFailureText(RDMA_CM_EVENT_UNREACHABLE, -110), "no answer");
}

/// A context as libibverbs makes it, in pages that can be unmapped: later accesses crash.
class ContextOfADevice {
  public:
    ContextOfADevice() {
        pages_ = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        auto* const device = new (pages_) ibv_device{};
        std::strcpy(device->dev_name, "uverbs77");
        context_ = new (static_cast<std::byte*>(pages_) + sizeof(ibv_device)) ibv_context{};
        context_->device = device;
        context_->cmd_fd = commands_.descriptor();
        context_->async_fd = events_.descriptor();
    }
    ~ContextOfADevice() { ::munmap(pages_, kBytes); }
    ContextOfADevice(const ContextOfADevice&) = delete;
    ContextOfADevice& operator=(const ContextOfADevice&) = delete;

    ibv_context* get() const { return context_; }
    void takeAway() const { ::mprotect(pages_, kBytes, PROT_NONE); }
    /// The target of its command descriptor.
    std::string leadsTo() const {
        return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(commands_.descriptor()));
    }

  private:
    static constexpr std::size_t kBytes = 16384;
    static_assert(sizeof(ibv_device) + sizeof(ibv_context) <= kBytes);
    const Event commands_, events_;
    void* pages_ = nullptr;
    ibv_context* context_ = nullptr;
};

TEST(DeviceUse, aRemovedDeviceIsClosedWhenTheLastUseEnds) {
    const ContextOfADevice context;
    {
        const DeviceUse use(context.get());
        EXPECT_EQ(DeviceUse::ofNode("uverbs77"), std::vector{context.get()});
        DeviceUse::deviceRemoved(context.get());
        EXPECT_TRUE(DeviceUse::isRemoved(context.get()));
        EXPECT_NE(context.leadsTo(), "/dev/null");
    }
    EXPECT_EQ(context.leadsTo(), "/dev/null");
    EXPECT_TRUE(DeviceUse::ofNode("uverbs77").empty());
}

TEST(DeviceUse, aRemovalThatIsHeardTwiceLooksAtNoContextThatIsGone) {
    const ContextOfADevice context;
    { const DeviceUse use(context.get()); }
    // Like two threads waiting for the same device: both still have the context's address.
    DeviceUse::deviceRemoved(context.get());
    EXPECT_EQ(context.leadsTo(), "/dev/null");
    context.takeAway();
    DeviceUse::deviceRemoved(context.get());
    EXPECT_FALSE(DeviceUse::isRemoved(context.get()));
}

}  // namespace
}  // namespace verbcast::testing
