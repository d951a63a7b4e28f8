#include "core/memory/frame_pool.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <limits>

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

bool isPossible(std::uint64_t slotBytes, std::size_t slotCount) {
    return slotCount >= 1 && slotCount <= kMaxSlots && slotBytes != 0 &&
           slotBytes <= std::numeric_limits<std::uint64_t>::max() / (2 * kMaxSlots);
}

/// Returns the size of a slot in whole pages.
std::uint64_t requireShape(std::uint64_t slotBytes, std::size_t slotCount) {
    if (!isPossible(slotBytes, slotCount)) {
        throw Error(ErrorKind::Usage, fmt::format("a ring of {} slots of {} bytes: 1 to {} slots expected",
                                                  slotCount, slotBytes, kMaxSlots));
    }
    return slotBytesFor(slotBytes);
}

void requirePeersShape(std::uint64_t slotBytes, std::uint32_t slotCount) {
    if (!isPossible(slotBytes, slotCount) || slotBytes != slotBytesFor(slotBytes)) {
        throw peerError("the peer offers an impossible ring: {} slots of {} bytes", slotCount, slotBytes);
    }
}

}  // namespace

std::byte* FramePool::refusePointer() {
    throw Error(ErrorKind::Internal, "a pointer was requested to memory that the processor cannot reach");
}

std::shared_ptr<FramePool> FramePool::ours(std::shared_ptr<const Memory> memory, std::uint64_t slotBytes,
                                           std::size_t slotCount) {
    return std::shared_ptr<FramePool>(new FramePool(
        std::move(memory), slotBytes, static_cast<std::uint32_t>(slotCount), Slots::Begin::Free));
}

std::shared_ptr<FramePool> FramePool::others(std::shared_ptr<const Memory> memory, std::uint64_t slotBytes,
                                             std::uint32_t slotCount, std::vector<UniqueFd> deathSockets) {
    return std::shared_ptr<FramePool>(
        new FramePool(std::move(memory), slotBytes, slotCount, Slots::Begin::Taken, std::move(deathSockets)));
}

std::shared_ptr<FramePool> FramePool::create(const FramePoolOptions& options) {
    const std::uint64_t slotBytes = requireShape(options.slotBytes, options.slotCount);
    return ours(Memory::allocate({.bytes = slotBytes * options.slotCount,
                                  .hugePages = options.hugePages,
                                  .beforeSealing = options.beforeSealing}),
                slotBytes, options.slotCount);
}

std::shared_ptr<FramePool> FramePool::onDevice(const DeviceAllocator& device, std::uint64_t slotBytes,
                                               std::uint32_t slotCount) {
    const std::uint64_t whole = requireShape(slotBytes, slotCount);
    return ours(Memory::ofDevice(device.allocate(whole * slotCount)), whole, slotCount);
}

std::shared_ptr<FramePool> FramePool::onBuffers(std::vector<UniqueFd> buffers, std::uint64_t slotBytes) {
    const std::size_t slotCount = buffers.size();
    const std::uint64_t whole = requireShape(slotBytes, slotCount);
    return ours(Memory::mapBuffers(MemoryKind::Buffers, std::move(buffers), whole), whole, slotCount);
}

std::shared_ptr<FramePool> FramePool::viewOf(const FramePool& pool, std::weak_ptr<SlotKeeper> keeper) {
    auto view = others(pool.memory_, pool.slotBytes_, pool.slotCount());
    view->keep(std::move(keeper));
    return view;
}

std::shared_ptr<FramePool> FramePool::single(std::shared_ptr<const Memory> memory,
                                             std::weak_ptr<SlotKeeper> keeper) {
    const std::uint64_t bytes = memory->size();
    auto pool = others(std::move(memory), bytes, 1);
    pool->keep(std::move(keeper));
    return pool;
}

void FramePool::keep(std::weak_ptr<SlotKeeper> keeper) {
    kept_ = !keeper.expired();
    keeper_ = std::move(keeper);
}

std::shared_ptr<FramePool> FramePool::mapPeerBuffers(std::vector<UniqueFd> buffers, std::uint64_t slotBytes,
                                                     std::uint32_t slotCount,
                                                     std::vector<UniqueFd> deathSockets) {
    requirePeersShape(slotBytes, slotCount);
    if (buffers.size() != slotCount) {
        throw peerError("the peer offers {} slots in {} buffers of its device", slotCount, buffers.size());
    }
    return others(Memory::mapBuffers(MemoryKind::Peer, std::move(buffers), slotBytes), slotBytes, slotCount,
                  std::move(deathSockets));
}

std::shared_ptr<FramePool> FramePool::mapPeer(UniqueFd memfd, std::uint64_t slotBytes,
                                              std::uint32_t slotCount, std::vector<UniqueFd> deathSockets) {
    requirePeersShape(slotBytes, slotCount);
    return others(Memory::mapPeer(std::move(memfd), slotBytes * slotCount), slotBytes, slotCount,
                  std::move(deathSockets));
}

std::shared_ptr<FramePool> FramePool::mapPeerDevice(std::unique_ptr<const DeviceMemory> device,
                                                    std::uint64_t slotBytes, std::uint32_t slotCount,
                                                    std::vector<UniqueFd> deathSockets) {
    requirePeersShape(slotBytes, slotCount);
    if (device->size() < slotBytes * slotCount) {
        throw peerError("the peer offers {} slots of {} bytes in {} of {}", slotCount, slotBytes,
                        device->size(), device->deviceName());
    }
    return others(Memory::ofDevice(std::move(device)), slotBytes, slotCount, std::move(deathSockets));
}

std::shared_ptr<FramePool> FramePool::mapFile(int descriptor, std::uint64_t offset, std::uint64_t slotBytes,
                                              std::uint32_t slotCount) {
    auto memory = Memory::mapFile(descriptor, offset, slotBytes * slotCount);
    return memory ? others(std::move(memory), slotBytes, slotCount) : nullptr;
}

void FramePool::endReads(std::uint32_t slot) const noexcept {
    if (reads_) {
        reads_->end(slot);
    }
}

std::optional<FrameLease> FramePool::tryAcquire() noexcept {
    const auto slot = slots_.hold();
    if (!slot) {
        return std::nullopt;
    }
    endReads(*slot);
    return FrameLease(shared_from_this(), *slot);
}

std::optional<FrameLease> FramePool::acquire(std::chrono::nanoseconds timeout, const Event* cancel) {
    std::optional<FrameLease> lease = tryAcquire();
    if (lease) {
        return lease;  // the usual case, without a look at the clock
    }
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
