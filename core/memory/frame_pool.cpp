#include "core/memory/frame_pool.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <limits>

#include "core/base/os/wait_for.h"

namespace verbcast {

std::uint64_t slotBytesFor(std::uint64_t payloadBytes) {
    return wholePages(payloadBytes);
}

FrameLease& FrameLease::operator=(FrameLease&& other) noexcept {
    if (this != &other) {
        reset();
        pool_ = std::move(other.pool_);
        slot_ = other.slot_;
    }
    return *this;
}

FrameLease FrameLease::share() const {
    pool_->slots().share(slot_);
    return FrameLease(pool_, slot_);
}

void FrameLease::reset() noexcept {
    if (pool_) {
        pool_->release(slot_);
        pool_.reset();
    }
}

std::byte* FrameLease::data() const {
    return pool_->slotData(slot_);
}

std::uint64_t FrameLease::capacity() const {
    return pool_->slotBytes();
}

bool FrameLease::takenBack() const noexcept {
    return pool_->takenBack();
}

FramePool::FramePool(std::shared_ptr<const Memory> memory, std::uint64_t slotBytes, std::uint32_t slotCount,
                     Slots::Begin begin, std::vector<UniqueFd> deathSockets)
    : deathSockets_(std::move(deathSockets)),
      memory_(std::move(memory)),
      slotBytes_(slotBytes),
      reads_(memory_->buffers().empty() ? nullptr : std::make_unique<ProcessorReads>(memory_->buffers())),
      slots_(slotCount, begin) {}

namespace {

void requireShape(std::uint64_t slotBytes, std::uint32_t slotCount) {
    if (slotCount < 1 || slotCount > kMaxSlots || slotBytes == 0 ||
        slotBytes > std::numeric_limits<std::uint64_t>::max() / (2 * kMaxSlots)) {
        throw Error(ErrorKind::Usage, fmt::format("a ring of {} slots of {} bytes: 1 to {} slots expected",
                                                  slotCount, slotBytes, kMaxSlots));
    }
}

void requirePeersShape(std::uint64_t slotBytes, std::uint32_t slotCount) {
    if (slotCount < 1 || slotCount > kMaxSlots || slotBytes == 0 ||
        slotBytes > std::numeric_limits<std::uint64_t>::max() / (2 * kMaxSlots) ||
        slotBytes != slotBytesFor(slotBytes)) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers an impossible ring: {} slots of {} bytes",
                                                 slotCount, slotBytes));
    }
}

}  // namespace

std::byte* FramePool::refusePointer() {
    throw Error(ErrorKind::Internal, "a pointer was requested to memory that the processor cannot reach");
}

std::shared_ptr<FramePool> FramePool::onDevice(std::unique_ptr<const DeviceMemory> device,
                                               std::uint64_t slotBytes, std::uint32_t slotCount) {
    requireShape(slotBytes, slotCount);
    const std::uint64_t whole = slotBytesFor(slotBytes);
    if (device->size() < whole * slotCount) {
        throw Error(ErrorKind::Usage, fmt::format("{} bytes of {} hold no ring of {} slots of {}",
                                                  device->size(), device->deviceName(), slotCount, whole));
    }
    return std::shared_ptr<FramePool>(
        new FramePool(Memory::ofDevice(std::move(device)), whole, slotCount, Slots::Begin::Free));
}

std::shared_ptr<FramePool> FramePool::create(const FramePoolOptions& options) {
    requireShape(options.slotBytes, options.slotCount);
    const std::uint64_t slotBytes = slotBytesFor(options.slotBytes);
    return std::shared_ptr<FramePool>(
        new FramePool(Memory::allocate({.bytes = slotBytes * options.slotCount,
                                        .hugePages = options.hugePages,
                                        .beforeSealing = options.beforeSealing}),
                      slotBytes, options.slotCount, Slots::Begin::Free));
}

std::shared_ptr<FramePool> FramePool::viewOf(const FramePool& pool, std::weak_ptr<SlotKeeper> keeper) {
    std::shared_ptr<FramePool> view(
        new FramePool(pool.memory_, pool.slotBytes_, pool.slotCount(), Slots::Begin::Taken));
    view->kept_ = !keeper.expired();
    view->keeper_ = std::move(keeper);
    return view;
}

std::shared_ptr<FramePool> FramePool::onBuffers(std::vector<UniqueFd> buffers, std::uint64_t slotBytes) {
    const auto slotCount = static_cast<std::uint32_t>(buffers.size());
    requireShape(slotBytes, slotCount);
    const std::uint64_t whole = slotBytesFor(slotBytes);
    return std::shared_ptr<FramePool>(
        new FramePool(Memory::mapBuffers(std::move(buffers), whole), whole, slotCount, Slots::Begin::Free));
}

std::shared_ptr<FramePool> FramePool::mapPeerBuffers(std::vector<UniqueFd> buffers, std::uint64_t slotBytes,
                                                     std::uint32_t slotCount,
                                                     std::vector<UniqueFd> deathSockets) {
    requirePeersShape(slotBytes, slotCount);
    if (buffers.size() != slotCount) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers {} slots in {} buffers of its device",
                                                 slotCount, buffers.size()));
    }
    return std::shared_ptr<FramePool>(new FramePool(Memory::mapPeerBuffers(std::move(buffers), slotBytes),
                                                    slotBytes, slotCount, Slots::Begin::Taken,
                                                    std::move(deathSockets)));
}

std::shared_ptr<FramePool> FramePool::mapPeer(UniqueFd memfd, std::uint64_t slotBytes,
                                              std::uint32_t slotCount, std::vector<UniqueFd> deathSockets) {
    requirePeersShape(slotBytes, slotCount);
    return std::shared_ptr<FramePool>(new FramePool(Memory::mapPeer(std::move(memfd), slotBytes * slotCount),
                                                    slotBytes, slotCount, Slots::Begin::Taken,
                                                    std::move(deathSockets)));
}

std::shared_ptr<FramePool> FramePool::mapPeerDevice(std::unique_ptr<const DeviceMemory> device,
                                                    std::uint64_t slotBytes, std::uint32_t slotCount,
                                                    std::vector<UniqueFd> deathSockets) {
    requirePeersShape(slotBytes, slotCount);
    if (device->size() < slotBytes * slotCount) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers {} slots of {} bytes in {} of {}",
                                                 slotCount, slotBytes, device->size(), device->deviceName()));
    }
    return std::shared_ptr<FramePool>(new FramePool(Memory::ofDevice(std::move(device)), slotBytes, slotCount,
                                                    Slots::Begin::Taken, std::move(deathSockets)));
}

std::shared_ptr<FramePool> FramePool::mapFile(int descriptor, std::uint64_t offset, std::uint64_t slotBytes,
                                              std::uint32_t slotCount) {
    auto memory = Memory::mapFile(descriptor, offset, slotBytes * slotCount);
    return memory ? std::shared_ptr<FramePool>(
                        new FramePool(std::move(memory), slotBytes, slotCount, Slots::Begin::Taken))
                  : nullptr;
}

void FramePool::endReads(std::uint32_t slot) const noexcept {
    if (reads_) {
        reads_->end(slot);
    }
}

std::optional<FrameLease> FramePool::tryAcquire() noexcept {
    const auto slot = slots_.hold();
    if (slot) {
        endReads(*slot);
    }
    return slot ? std::optional(FrameLease(shared_from_this(), *slot)) : std::nullopt;
}

std::optional<FrameLease> FramePool::acquire(std::chrono::nanoseconds timeout, const Event* cancel) {
    std::optional<FrameLease> lease;
    static_cast<void>(waitFor(
        slots_.freed(), [&] { return (lease = tryAcquire()).has_value(); }, Deadline::in(timeout), cancel));
    return lease;
}

Status FramePool::acquire(FrameLease& lease, const Event& cancel) {
    if (cancel.isSet()) {
        return Status::Cancelled;
    }
    std::optional<FrameLease> free;
    const Status status = waitFor(
        slots_.freed(), [&] { return (free = tryAcquire()).has_value(); }, Deadline::never(), &cancel);
    if (free) {
        lease = std::move(*free);
    }
    return status;
}

void FramePool::release(std::uint32_t slot) noexcept {
    slots_.release(slot);
    if (tellsThroughDeathSocket_.load()) {  // ordered with release() and the fence below: none is missed
        slots_.takeFree([this](std::uint32_t free) {
            endReads(free);
            tell(free);
        });
    }
    if (kept_) {
        if (const auto keeper = keeper_.lock()) {
            slots_.takeFree([&](std::uint32_t free) {
                endReads(free);
                keeper->onFree(free);
            });
        }
    }
}

void FramePool::tellThroughDeathSocket() noexcept {
    tellsThroughDeathSocket_.store(true);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    slots_.takeFree([](std::uint32_t) {});
    // Including those returned earlier: the peer may not have heard.
    for (std::uint32_t slot = 0; slot < slotCount(); ++slot) {
        if (slots_.isTaken(slot)) {
            tell(slot);
        }
    }
}

void FramePool::tell(std::uint32_t slot) noexcept {
    if (deathSockets_.empty()) {
        return;
    }
    const auto number = static_cast<std::uint16_t>(slot);
    // It fits the socket's buffer, because each slot is reported once. An owner that is gone needs to know
    // nothing.
    static_cast<void>(
        ::send(deathSockets_.front().get(), &number, sizeof number, MSG_DONTWAIT | MSG_NOSIGNAL));
}

bool FramePool::takenBack() const noexcept {
    return std::ranges::any_of(deathSockets_, [](const UniqueFd& deathSocket) {
        std::byte word{};
        return ::recv(deathSocket.get(), &word, sizeof word, MSG_PEEK | MSG_DONTWAIT) > 0;
    });
}

void FramePool::takeBack(int deathSocket) noexcept {
    const std::byte word{};
    static_cast<void>(::send(deathSocket, &word, sizeof word, MSG_DONTWAIT | MSG_NOSIGNAL));
}

std::optional<FrameLease> FramePool::adopt(std::uint32_t slot) noexcept {
    if (!slots_.holdTaken(slot)) {
        return std::nullopt;
    }
    endReads(slot);  // of the frame before: its device has written since
    return FrameLease(shared_from_this(), slot);
}

}  // namespace verbcast
