#include "core/pool/frame_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <limits>

#include "core/base/align.h"

namespace verbcast {
namespace {

constexpr std::uint64_t kHugePageBytes = 2U << 20;
// States of references_ besides a count of leases.
constexpr std::uint32_t kTaken = 0;
constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

std::uint64_t pageSize() {
    static const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return size;
}

/// A number from /proc/meminfo, in its own unit; 0 when the line is missing.
std::uint64_t memInfo(const std::string& key) {
    std::ifstream file("/proc/meminfo");
    std::string name;
    std::uint64_t value = 0;
    std::string rest;
    while (file >> name >> value && std::getline(file, rest)) {
        if (name == key + ":") {
            return value;
        }
    }
    return 0;
}

bool enoughHugePages(std::uint64_t bytes) {
    return memInfo("Hugepagesize") * 1024 == kHugePageBytes &&
           memInfo("HugePages_Free") * kHugePageBytes >= bytes;
}

std::string gibibytes(std::uint64_t bytes) {
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

void requireMemory(std::uint64_t bytes, std::uint64_t slotBytes, std::uint32_t slots) {
    const std::uint64_t available = memInfo("MemAvailable") * 1024;
    if (available != 0 && bytes > available) {
        throw Error(ErrorKind::Resource,
                    fmt::format("a ring of {} slots of {} MiB needs {}, but only {} of memory are available",
                                slots, slotBytes >> 20, gibibytes(bytes), gibibytes(available)),
                    "use fewer slots (--slots) or a smaller --size");
    }
}

}  // namespace

std::uint64_t slotBytesFor(std::uint64_t payloadBytes) {
    return roundUp(payloadBytes, pageSize());
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
    pool_->addReference(slot_);
    return FrameLease(pool_, slot_);
}

void FrameLease::reset() noexcept {
    if (pool_) {
        pool_->dropReference(slot_);
        pool_.reset();
    }
}

std::byte* FrameLease::data() const {
    return pool_->slotData(slot_);
}

std::uint64_t FrameLease::capacity() const {
    return pool_->slotBytes();
}

std::shared_ptr<FramePool> FramePool::create(const FramePoolOptions& options) {
    if (options.slotCount < 1 || options.slotCount > kMaxSlots || options.slotBytes == 0) {
        throw Error(ErrorKind::Usage, fmt::format("a ring of {} slots of {} bytes: 1 to {} slots expected",
                                                  options.slotCount, options.slotBytes, kMaxSlots));
    }
    std::shared_ptr<FramePool> pool(new FramePool);
    pool->slotCount_ = options.slotCount;
    const std::uint64_t hugeBytes =
        roundUp(slotBytesFor(options.slotBytes) * options.slotCount, kHugePageBytes);
    const bool huge = options.hugePages && enoughHugePages(hugeBytes);
    pool->slotBytes_ = slotBytesFor(options.slotBytes);
    const std::uint64_t bytes = pool->slotBytes_ * options.slotCount;
    pool->mappedBytes_ = roundUp(bytes, huge ? kHugePageBytes : pageSize());
    if (!huge) {
        requireMemory(bytes, pool->slotBytes_, options.slotCount);
    }

    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING | (huge ? MFD_HUGETLB | MFD_HUGE_2MB : 0U);
    pool->fd_.reset(::memfd_create("verbcast-frames", flags));
    if (!pool->fd_) {
        throwErrno(ErrorKind::Resource, "memfd_create", "the frame ring", errno);
    }
    if (::ftruncate(pool->fd_.get(), static_cast<off_t>(pool->mappedBytes_)) != 0) {
        throwErrno(ErrorKind::Resource, "ftruncate", fmt::format("a ring of {}", gibibytes(bytes)), errno,
                   "use fewer slots (--slots) or a smaller --size");
    }
    void* base = ::mmap(nullptr, pool->mappedBytes_, PROT_READ | PROT_WRITE, MAP_SHARED, pool->fd_.get(), 0);
    if (base == MAP_FAILED) {
        throwErrno(ErrorKind::Resource, "mmap", fmt::format("a ring of {}", gibibytes(bytes)), errno,
                   "use fewer slots (--slots) or a smaller --size");
    }
    pool->base_ = static_cast<std::byte*>(base);
    if (options.beforeSealing) {
        options.beforeSealing(pool->fd_.get());
    }
    // Our own mapping stays writable; a peer that gets the descriptor can only read, and cannot shrink it
    // under us.
    if (::fcntl(pool->fd_.get(), F_ADD_SEALS,
                F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0) {
        throwErrno(ErrorKind::Internal, "sealing", "the frame ring", errno);
    }
    pool->references_ = std::make_unique<std::atomic<std::uint32_t>[]>(options.slotCount);
    for (std::uint32_t slot = 0; slot < options.slotCount; ++slot) {
        pool->references_[slot].store(kFree);
        pool->free_[slot / 64].fetch_or(std::uint64_t{1} << (slot % 64));
    }
    return pool;
}

std::shared_ptr<FramePool> FramePool::mapPeer(UniqueFd memfd, std::uint64_t slotBytes,
                                              std::uint32_t slotCount) {
    if (slotCount < 1 || slotCount > kMaxSlots || slotBytes == 0 || slotBytes % pageSize() != 0 ||
        slotBytes > std::numeric_limits<std::uint64_t>::max() / kMaxSlots) {
        throw Error(ErrorKind::Peer, fmt::format("the peer offers an impossible ring: {} slots of {} bytes",
                                                 slotCount, slotBytes));
    }
    constexpr int kNeeded = F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE;
    const int seals = ::fcntl(memfd.get(), F_GET_SEALS);
    if (seals < 0 || (seals & kNeeded) != kNeeded) {
        throw Error(ErrorKind::Peer, "the peer offers shared memory that is not sealed");
    }
    struct stat status {};
    if (::fstat(memfd.get(), &status) != 0 || status.st_size < 0 ||
        static_cast<std::uint64_t>(status.st_size) < slotBytes * slotCount) {
        throw Error(ErrorKind::Peer, fmt::format("the peer's ring holds {} bytes, {} were announced",
                                                 status.st_size, slotBytes * slotCount));
    }
    std::shared_ptr<FramePool> pool(new FramePool);
    pool->slotBytes_ = slotBytes;
    pool->slotCount_ = slotCount;
    pool->mappedBytes_ = static_cast<std::uint64_t>(status.st_size);
    void* base = ::mmap(nullptr, pool->mappedBytes_, PROT_READ, MAP_SHARED, memfd.get(), 0);
    if (base == MAP_FAILED) {
        throwErrno(ErrorKind::Resource, "mmap", "the sender's frame ring", errno);
    }
    pool->base_ = static_cast<std::byte*>(base);
    pool->fd_ = std::move(memfd);
    pool->references_ = std::make_unique<std::atomic<std::uint32_t>[]>(slotCount);
    for (std::uint32_t slot = 0; slot < slotCount; ++slot) {
        pool->references_[slot].store(kTaken);
    }
    return pool;
}

std::shared_ptr<FramePool> FramePool::mapFile(int descriptor, std::uint64_t offset, std::uint64_t slotBytes,
                                              std::uint32_t slotCount) {
    const std::uint64_t bytes = slotBytes * slotCount;
    void* base = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(offset));
    if (base == MAP_FAILED) {
        return nullptr;
    }
    std::shared_ptr<FramePool> pool(new FramePool);
    pool->base_ = static_cast<std::byte*>(base);
    pool->mappedBytes_ = bytes;
    pool->slotBytes_ = slotBytes;
    pool->slotCount_ = slotCount;
    pool->references_ = std::make_unique<std::atomic<std::uint32_t>[]>(slotCount);
    for (std::uint32_t slot = 0; slot < slotCount; ++slot) {
        pool->references_[slot].store(kTaken);
    }
    return pool;
}

FramePool::~FramePool() {
    if (base_ != nullptr) {
        ::munmap(base_, mappedBytes_);
    }
}

std::optional<FrameLease> FramePool::tryAcquire() noexcept {
    for (std::size_t word = 0; word < free_.size(); ++word) {
        std::uint64_t bits = free_[word].load(std::memory_order_acquire);
        while (bits != 0) {
            const std::uint64_t lowest = bits & (~bits + 1);
            if (free_[word].compare_exchange_weak(bits, bits & ~lowest, std::memory_order_acq_rel)) {
                const auto slot =
                    static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(__builtin_ctzll(lowest)));
                references_[slot].store(1, std::memory_order_release);
                return FrameLease(shared_from_this(), slot);
            }
        }
    }
    return std::nullopt;
}

std::optional<FrameLease> FramePool::acquire(std::chrono::nanoseconds timeout, const Event* cancel) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
        if (auto lease = tryAcquire()) {
            return lease;
        }
        freed_.arm();
        if (auto lease = tryAcquire()) {
            freed_.disarm();
            return lease;
        }
        const auto left = deadline - std::chrono::steady_clock::now();
        if (left <= std::chrono::nanoseconds::zero() || (cancel != nullptr && cancel->isSet())) {
            freed_.disarm();
            return std::nullopt;
        }
        waitReadable({freed_.descriptor(), cancel != nullptr ? cancel->descriptor() : -1}, left);
        freed_.disarm();
    }
}

std::uint32_t FramePool::freeCount() const noexcept {
    int count = 0;
    for (const auto& word : free_) {
        count += __builtin_popcountll(word.load(std::memory_order_seq_cst));
    }
    return static_cast<std::uint32_t>(count);
}

std::optional<FrameLease> FramePool::adopt(std::uint32_t slot) noexcept {
    if (slot >= slotCount_) {
        return std::nullopt;
    }
    std::uint32_t expected = kTaken;
    if (!references_[slot].compare_exchange_strong(expected, 1, std::memory_order_acq_rel)) {
        return std::nullopt;
    }
    return FrameLease(shared_from_this(), slot);
}

bool FramePool::isTaken(std::uint32_t slot) const noexcept {
    return slot < slotCount_ && references_[slot].load(std::memory_order_acquire) == kTaken;
}

void FramePool::markTaken(std::uint32_t slot) noexcept {
    references_[slot].store(kTaken, std::memory_order_release);
}

void FramePool::reclaimTaken() noexcept {
    for (std::uint32_t slot = 0; slot < slotCount_; ++slot) {
        std::uint32_t expected = kTaken;
        if (references_[slot].compare_exchange_strong(expected, kFree, std::memory_order_acq_rel)) {
            free_[slot / 64].fetch_or(std::uint64_t{1} << (slot % 64), std::memory_order_acq_rel);
        }
    }
    freed_.notify();
}

void FramePool::addReference(std::uint32_t slot) noexcept {
    references_[slot].fetch_add(1, std::memory_order_relaxed);
}

void FramePool::dropReference(std::uint32_t slot) noexcept {
    std::uint32_t count = references_[slot].load(std::memory_order_relaxed);
    // The last lease goes from 1 to "free" in one step, so that no one sees the slot as taken in between.
    while (!references_[slot].compare_exchange_weak(count, count == 1 ? kFree : count - 1,
                                                    std::memory_order_acq_rel)) {
    }
    if (count == 1) {
        free_[slot / 64].fetch_or(std::uint64_t{1} << (slot % 64), std::memory_order_seq_cst);
        if (const std::uint32_t enough = wakeFrom_; enough <= 1 || freeCount() >= enough) {
            freed_.notify();
        }
    }
}

}  // namespace verbcast
