// Rings of dma-bufs over RDMA: each buffer is registered as what it is, else the mapping, else frames are
// copied. No device here takes dma-bufs: soft-RoCE is given copies of them, made when they are registered.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "core/transport/rdma/source_cache.h"
#include "tests/core/session/core_support.h"
#include "tests/dmabuf/virtual_card.h"

namespace verbcast::testing {
namespace {

/// Whether ibv_reg_dmabuf_mr() below registers copies.
bool takesDmaBufs = false;
std::size_t fails = 0;  // with ENOMEM from this buffer on, if not 0
struct Unmap {
    std::size_t bytes = 0;
    void operator()(void* memory) const { ::munmap(memory, bytes); }
};
std::vector<std::unique_ptr<void, Unmap>> registered;

ibv_mr* registerCopy(ibv_pd* domain, std::size_t bytes, std::uint64_t address, int descriptor, int access) {
    if (descriptor < 0) {
        errno = EBADF;
        return nullptr;
    }
    if (fails != 0 && registered.size() + 1 >= fails) {
        errno = ENOMEM;
        return nullptr;
    }
    void* const buffer = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (buffer == MAP_FAILED) {
        return nullptr;
    }
    void* const copy = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy != MAP_FAILED) {
        registered.emplace_back(copy, Unmap{bytes});
        std::memcpy(copy, buffer, bytes);
    }
    ::munmap(buffer, bytes);
    return copy != MAP_FAILED ? ibv_reg_mr_iova(domain, copy, bytes, address, access) : nullptr;
}

/// A port that takes what it is told to.
class ChosenDomain final : public PortDomain {
  public:
    ChosenDomain(bool buffers, bool mapping) : buffers_(buffers), mapping_(mapping) {}
    ~ChosenDomain() override { dropSources(); }
    std::unique_ptr<RegisteredMemory> registerMemory(std::span<std::byte> bytes, MemoryUse use) override {
        EXPECT_EQ(use, MemoryUse::LocalRead);
        if (!mapping_) {
            throw Error(ErrorKind::Resource, "cannot be locked");
        }
        mapped = bytes.size();
        auto memory = std::make_unique<RegisteredMemory>();
        memory->localHandle = 7;
        return memory;
    }
    std::unique_ptr<RegisteredMemory> registerBuffers(const Memory& memory) override {
        if (!buffers_) {
            return PortDomain::registerBuffers(memory);
        }
        auto each = std::make_unique<RegisteredMemory>();
        each->slotHandles = {10, 11, 12};
        return each;
    }
    std::string cannotSendFrom(const Memory&) const override { return ""; }

    std::size_t mapped = 0;

  private:
    bool buffers_, mapping_;
};

class RegisteredBuffers : public ::testing::Test {
  protected:
    void TearDown() override {
        takesDmaBufs = false;
        fails = 0;
        registered.clear();
    }
    /// A ring whose slots hold, in every 8 bytes, their numbers.
    std::shared_ptr<FramePool> numberedRing(std::uint32_t slots) const {
        auto ring = card.ring(slots, std::vector<std::byte>(format.payloadBytes));
        for (std::uint32_t slot = 0; slot < slots; ++slot) {
            std::vector<std::byte> content(format.payloadBytes);
            TestSource::fill(content.data(), content.size(), slot);
            write(ring->memory()->buffers()[slot], content);
        }
        return ring;
    }
    /// Sends one frame from each slot over soft-RoCE; returns the processor's copies, in frames.
    std::uint64_t copiesOfSending(const std::shared_ptr<FramePool>& ring) const {
        const TransportUnderTest* verbs = nullptr;
        const auto all = transportsUnderTest();
        for (const TransportUnderTest& each : all) {
            verbs = each.name == "verbs" ? &each : verbs;
        }
        if (verbs == nullptr) {
            ADD_FAILURE() << "the guest has no verbs device";
            return 0;
        }
        Broadcast sender(senderOptions(*verbs, Policy::Lossless));
        FrameReceiver viewer(receiverOptions(sender));
        EXPECT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        std::vector<FrameLease> leases;  // all at once, so that each slot is used
        while (auto lease = ring->tryAcquire()) {
            leases.push_back(std::move(*lease));
        }
        const auto frames = leases.size();
        std::jthread sending([&] {
            for (std::size_t slot = 0; slot < frames; ++slot) {
                FrameInfo info;
                info.pts = static_cast<std::int64_t>(leases[slot].slot());
                info.capturedAt = nowNs();
                EXPECT_EQ(sender.submit(std::move(leases[slot]), format, info, Event()), Status::Ok);
            }
            EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
        });
        ReceivedFrame frame;
        std::size_t count = 0;
        while (viewer.receive(frame, kLimit) == Status::Ok) {
            EXPECT_TRUE(isWhole(frame));
            frame = {};
            ++count;
        }
        sending.join();
        EXPECT_EQ(count, frames);
        return sender.stats().bytesCopied / format.payloadBytes;
    }

    const VideoFormat format = tightFormat(64, 48, PixelFormat::rgba);
    const VirtualCard card;
};

TEST_F(RegisteredBuffers, HaveAHandleForEachSlot) {
    const auto ring = numberedRing(3);
    ChosenDomain domain(true, false);
    const SourceRegistration made = domain.sources().registerSource(ring->memory());
    EXPECT_EQ(made->handleOf(0), 10U);
    EXPECT_EQ(made->handleOf(2), 12U);
    EXPECT_FALSE(made->readsMapping);
    EXPECT_EQ(made->localAddress, reinterpret_cast<std::uint64_t>(ring->memory()->bytes().data()));
}

TEST_F(RegisteredBuffers, AreRegisteredWhereTheyAreMappedIfThePortTakesNone) {
    const auto ring = numberedRing(3);
    ChosenDomain domain(false, true);
    const SourceRegistration made = domain.sources().registerSource(ring->memory());
    EXPECT_EQ(domain.mapped, 3 * ring->slotBytes());
    EXPECT_EQ(made->handleOf(2), 7U);
    EXPECT_TRUE(made->readsMapping);
    EXPECT_EQ(made->way, "mapping");
}

TEST_F(RegisteredBuffers, ThatCannotBeRegisteredEitherWaySayWhy) {
    const auto ring = numberedRing(1);
    ChosenDomain domain(false, false);
    try {
        domain.sources().registerSource(ring->memory());
        FAIL() << "it was registered";
    } catch (const Error& error) {
        EXPECT_STREQ(
            error.what(),
            "the frames are in dma-bufs: this port registers no dma-bufs; and where they are mapped: "
            "cannot be locked");
    }
}

TEST_F(RegisteredBuffers, LeaveOverVerbsWithoutACopy) {
    takesDmaBufs = true;
    EXPECT_EQ(copiesOfSending(numberedRing(4)), 0U);
    EXPECT_EQ(registered.size(), 4U) << "each by itself";
}

TEST_F(RegisteredBuffers, AreCopiedOverVerbsIfOneOfThemCannotBeRegistered) {
    takesDmaBufs = true;
    fails = 3;
    EXPECT_EQ(copiesOfSending(numberedRing(4)), 4U);
}

TEST_F(RegisteredBuffers, AreCopiedOverVerbsWithoutSupport) {
    EXPECT_EQ(copiesOfSending(numberedRing(2)), 2U);
    EXPECT_TRUE(registered.empty());
}

}  // namespace
}  // namespace verbcast::testing

/// In place of libibverbs', for the whole program.
extern "C" ibv_mr* ibv_reg_dmabuf_mr(ibv_pd* domain, std::uint64_t offset, std::size_t length,
                                     std::uint64_t iova, int descriptor, int access) {
    using namespace verbcast::testing;
    using Function = decltype(&ibv_reg_dmabuf_mr);
    static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "ibv_reg_dmabuf_mr"));
    return takesDmaBufs ? registerCopy(domain, length, iova, descriptor, access)
                        : real(domain, offset, length, iova, descriptor, access);
}
