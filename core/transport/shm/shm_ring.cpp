// Costs per record: the producer and the consumer each copy it once, at most kRecordHeader + 140 bytes; the
// producer also pays one store-fence-load. No system call unless the other side sleeps.
#include "core/transport/shm/shm_ring.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/cache.h"
#include "core/base/error.h"
#include "core/base/os/futex.h"
#include "core/memory/memory.h"

namespace verbcast::shm {
namespace {

constexpr std::size_t kMemoryBytes = kRingHeaderBytes + kRingBytes;
constexpr std::size_t kAlignment = 8;
constexpr std::size_t kUsualRecordBytes = 256;  // of a frame; a prefetch past the end is harmless
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr const char* kRemedy = "close other connections, or raise the limits: ulimit -n 4096, ulimit -v";
using RecordLength = std::uint64_t;  // precedes each record, which is padded to kAlignment

std::uint64_t padded(std::uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

void copyIn(std::byte* ring, std::uint64_t position, std::span<const std::byte> bytes) {
    if (bytes.empty()) {
        return;  // memcpy takes no null pointer, not even for zero bytes
    }
    const std::size_t offset = position % kRingBytes;
    const std::size_t first = std::min(bytes.size(), kRingBytes - offset);
    std::memcpy(ring + offset, bytes.data(), first);
    std::memcpy(ring, bytes.data() + first, bytes.size() - first);
}

}  // namespace

RingMemory RingMemory::create() {
    UniqueFd memfd = makeMemoryFile(
        {.name = "verbcast-records", .bytes = kMemoryBytes, .purpose = "an shm channel", .remedy = kRemedy});
    if (::fcntl(memfd.get(), F_ADD_SEALS, kSeals | F_SEAL_SEAL) != 0) {
        throwErrno(ErrorKind::Internal, "sealing", "an shm channel", errno);
    }
    return RingMemory(std::move(memfd));
}

RingMemory RingMemory::map(UniqueFd memfd) {
    struct stat status {};
    const int seals = ::fcntl(memfd.get(), F_GET_SEALS);
    if (seals < 0 || (seals & kSeals) != kSeals || ::fstat(memfd.get(), &status) != 0 ||
        status.st_size != static_cast<off_t>(kMemoryBytes)) {
        throw Error(ErrorKind::Peer, "the peer offers shared memory of another size or not sealed");
    }
    return RingMemory(std::move(memfd));
}

RingMemory::RingMemory(UniqueFd memfd) : fd_(std::move(memfd)) {
    void* base =
        ::mmap(nullptr, kMemoryBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_.get(), 0);
    if (base == MAP_FAILED) {
        throwErrno(ErrorKind::Resource, "mmap", "an shm channel", errno, kRemedy);
    }
    base_.reset(static_cast<std::byte*>(base));
}

void RingMemory::Unmap::operator()(std::byte* base) const {
    ::munmap(base, kMemoryBytes);
}

bool RingProducer::hasRoom(std::uint64_t bytes) {
    if (bytes <= kRingBytes - (written_ - read_)) {
        return true;
    }
    const std::uint64_t read = memory_.header().read.load(std::memory_order_acquire);
    if (written_ - read > kRingBytes) {
        throw Error(ErrorKind::Peer, "the peer has read more than was written");
    }
    read_ = read;
    return bytes <= kRingBytes - (written_ - read_);
}

bool RingProducer::write(std::span<const std::span<const std::byte>> parts) {
    RecordLength length = 0;
    for (const auto& part : parts) {
        length += part.size();
    }
    const std::uint64_t needed = sizeof length + padded(length);
    if (!hasRoom(needed)) {
        return false;
    }
    copyIn(memory_.data(), written_, std::as_bytes(std::span(&length, 1)));
    std::uint64_t position = written_ + sizeof length;
    for (const auto& part : parts) {
        copyIn(memory_.data(), position, part);
        position += part.size();
    }
    written_ += needed;
    memory_.header().written.store(written_, std::memory_order_release);
    // The next record's cache lines were last used one round ago: fetch them while nobody is waiting.
    prefetchForWriting(memory_.data() + written_ % kRingBytes, kUsualRecordBytes);
    return true;
}

void RingProducer::expect(TimestampNs due) noexcept {
    RingHeader& header = memory_.header();
    header.frameDue.store(due, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    auto how = static_cast<std::uint32_t>(Sleep::OnRing);
    if (header.consumerSleep.compare_exchange_strong(how, static_cast<std::uint32_t>(Sleep::Awake))) {
        futexWake(header.consumerSleep);
    }
    prefetchForWriting(memory_.data() + written_ % kRingBytes, kUsualRecordBytes);
}

bool RingProducer::wakeConsumer() noexcept {
    std::atomic<std::uint32_t>& word = memory_.header().consumerSleep;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (word.load(std::memory_order_relaxed) == static_cast<std::uint32_t>(Sleep::Awake)) {
        return false;
    }
    const auto how = static_cast<Sleep>(word.exchange(static_cast<std::uint32_t>(Sleep::Awake)));
    if (how == Sleep::OnRing) {
        futexWake(word);
    }
    return how == Sleep::OnSocket;
}

bool RingProducer::waitForRoom() noexcept {
    RingHeader& header = memory_.header();
    header.producerWaits.store(1);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    // Half of the ring, so that the producer is not rung for every record.
    return written_ - header.read.load(std::memory_order_acquire) > kRingBytes / 2;
}

std::span<const std::byte> RingConsumer::read(std::span<std::byte> buffer) {
    if (!memory_) {
        return {};
    }
    const std::uint64_t available = written() - read_;
    if (available == 0) {
        return {};
    }
    RecordLength length = 0;
    if (available > kRingBytes || available < sizeof length) {
        throw Error(ErrorKind::Peer, "the peer has written more than the ring holds");
    }
    copyOut(read_, std::as_writable_bytes(std::span(&length, 1)));
    if (length == 0 || length > buffer.size() || sizeof length + padded(length) > available) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sent a packet of {} bytes; 1 to {} expected",
                                                 length, buffer.size()));
    }
    const auto record = buffer.first(length);
    copyOut(read_ + sizeof length, record);
    read_ += sizeof length + padded(length);
    memory_.header().read.store(read_, std::memory_order_release);
    return record;
}

void RingConsumer::copyOut(std::uint64_t position, std::span<std::byte> target) const {
    const std::size_t offset = position % kRingBytes;
    const std::size_t first = std::min(target.size(), kRingBytes - offset);
    std::memcpy(target.data(), memory_.data() + offset, first);
    std::memcpy(target.data() + first, memory_.data(), target.size() - first);
}

bool RingConsumer::takeProducerWaits() noexcept {
    RingHeader& header = memory_.header();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (header.producerWaits.load(std::memory_order_relaxed) == 0 || written() - read_ > kRingBytes / 2) {
        return false;
    }
    return header.producerWaits.exchange(0) != 0;
}

bool RingConsumer::sleep(Sleep how) noexcept {
    if (!memory_) {
        return true;  // nothing can come through a ring that has not been passed yet
    }
    memory_.header().consumerSleep.store(static_cast<std::uint32_t>(how));
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (written() == read_) {
        return true;
    }
    wakeUp();
    return false;
}

void RingConsumer::wakeUp() noexcept {
    if (memory_) {
        memory_.header().consumerSleep.store(static_cast<std::uint32_t>(Sleep::Awake),
                                             std::memory_order_relaxed);
    }
}

void RingConsumer::wait(std::chrono::nanoseconds timeout) const noexcept {
    if (memory_) {
        futexWait(memory_.header().consumerSleep, static_cast<std::uint32_t>(Sleep::OnRing), timeout);
    }
}

void RingConsumer::rouse() noexcept {
    if (memory_) {
        wakeUp();
        futexWake(memory_.header().consumerSleep);
    }
}

}  // namespace verbcast::shm
