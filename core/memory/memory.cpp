#include "core/memory/memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>

#include "core/base/align.h"
#include "core/base/error.h"
#include "core/base/log/peer_log.h"
#include "core/memory/available_memory.h"
#include "core/memory/dma_buf.h"

namespace verbcast {
namespace {

constexpr const char* kLess = "use fewer slots (--slots) or a smaller --size";

std::uint64_t pageSize() {
    static const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return size;
}

std::string readMemoryInfo() {
    std::ifstream file("/proc/meminfo");
    return {std::istreambuf_iterator<char>(file), {}};
}

void requireMemory(std::uint64_t bytes) {
    const std::uint64_t available = memoryInfoNumber(readMemoryInfo(), "MemAvailable") * 1024;
    if (available != 0 && bytes > available) {
        throw Error(ErrorKind::Resource,
                    fmt::format("a ring needs {}, but only {} of memory are available", memoryText(bytes),
                                memoryText(available)),
                    kLess);
    }
}

void requireAllowed(const MemoryFileOptions& options) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && options.bytes > limit.rlim_cur) {
        throw Error(ErrorKind::Resource,
                    fmt::format("{} takes {} bytes, but the limit on the size of files (RLIMIT_FSIZE), which "
                                "counts for shared memory, too, is {} bytes",
                                options.purpose, options.bytes, limit.rlim_cur),
                    "raise it: ulimit -f unlimited");
    }
}

struct Mapping {
    UniqueFd descriptor;
    void* base = MAP_FAILED;
    std::uint64_t bytes = 0;
};

/// Throws Error{Resource} if there is not enough memory.
Mapping mapAnonymous(std::uint64_t wanted, bool huge) {
    Mapping mapping;
    mapping.bytes = roundUp(wanted, huge ? kHugePageBytes : pageSize());
    const std::string what = fmt::format("a ring of {}", memoryText(mapping.bytes));
    mapping.descriptor = makeMemoryFile({.name = "verbcast-frames",
                                         .bytes = mapping.bytes,
                                         .flags = huge ? MFD_HUGETLB | MFD_HUGE_2MB : 0U,
                                         .purpose = what,
                                         .remedy = kLess});
    mapping.base =
        ::mmap(nullptr, mapping.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, mapping.descriptor.get(), 0);
    if (mapping.base == MAP_FAILED) {
        throwErrno(ErrorKind::Resource, "mmap", what, errno, kLess);
    }
    return mapping;
}

/// Uses huge pages if enough are free, else plain ones. Another process may take them first: mapping either
/// reserves them or fails, and then plain ones do.
Mapping mapBest(const MemoryOptions& options) {
    if (options.hugePages && enoughHugePages(readMemoryInfo(), options.bytes)) {
        try {
            return mapAnonymous(options.bytes, true);
        } catch (const Error& error) {
            tellOfPeer(LogCategory::Memory, "no huge pages", "", "no huge pages: {}", error.what());
        }
    }
    requireMemory(options.bytes);
    return mapAnonymous(options.bytes, false);
}

}  // namespace

std::uint64_t wholePages(std::uint64_t bytes) {
    return roundUp(bytes, pageSize());
}

UniqueFd makeMemoryFile(const MemoryFileOptions& options) {
    requireAllowed(options);
    UniqueFd file(::memfd_create(options.name, MFD_CLOEXEC | MFD_ALLOW_SEALING | options.flags));
    if (!file) {
        throwErrno(ErrorKind::Resource, "memfd_create", options.purpose, errno, options.remedy);
    }
    if (::ftruncate(file.get(), static_cast<off_t>(options.bytes)) != 0) {
        throwErrno(ErrorKind::Resource, "ftruncate", options.purpose, errno, options.remedy);
    }
    return file;
}

Memory::Memory(MemoryKind kind, UniqueFd descriptor, void* base, std::uint64_t bytes)
    : kind_(kind), fd_(std::move(descriptor)), base_(static_cast<std::byte*>(base)), bytes_(bytes) {}

Memory::~Memory() {
    if (base_ != nullptr && kind_ != MemoryKind::Lent) {
        ::munmap(base_, bytes_);
    }
}

std::shared_ptr<const Memory> Memory::allocate(const MemoryOptions& options) {
    Mapping mapping = mapBest(options);
    const int descriptor = mapping.descriptor.get();
    std::shared_ptr<const Memory> memory(
        new Memory(MemoryKind::Host, std::move(mapping.descriptor), mapping.base, mapping.bytes));
    if (options.beforeSealing) {
        options.beforeSealing(descriptor);
    }
    // Our own mapping stays writable; a peer that gets the descriptor can only read, and cannot shrink it
    // underneath us.
    if (::fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) !=
        0) {
        throwErrno(ErrorKind::Internal, "sealing", "the frame ring", errno);
    }
    return memory;
}

std::shared_ptr<const Memory> Memory::mapPeer(UniqueFd memfd, std::uint64_t bytes) {
    constexpr int kNeeded = F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE;
    const int seals = ::fcntl(memfd.get(), F_GET_SEALS);
    if (seals < 0 || (seals & kNeeded) != kNeeded) {
        throw peerError("the peer offers shared memory that is not sealed");
    }
    struct stat status {};
    // All of it is mapped, because huge pages are mapped whole; so it may exceed the announced size by at
    // most one such page.
    const std::uint64_t whole = ::fstat(memfd.get(), &status) == 0
                                    ? static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0))
                                    : 0;
    if (whole < std::max<std::uint64_t>(bytes, 1) || whole > roundUp(bytes, kHugePageBytes)) {
        throw peerError("the peer's ring holds {} bytes, {} were announced", whole, bytes);
    }
    void* base = ::mmap(nullptr, whole, PROT_READ, MAP_SHARED, memfd.get(), 0);
    if (base == MAP_FAILED) {
        throwErrno(ErrorKind::Resource, "mmap", "the sender's frame ring", errno);
    }
    return std::shared_ptr<const Memory>(new Memory(MemoryKind::Peer, std::move(memfd), base, whole));
}

std::shared_ptr<const Memory> Memory::mapBuffers(MemoryKind kind, std::vector<UniqueFd> buffers,
                                                 std::uint64_t bytes) {
    const bool ofPeer = kind == MemoryKind::Peer;
    const std::string whose = ofPeer ? "the peer's" : "the device's";
    // One contiguous range, so that slots are adjacent as everywhere else.
    void* base = ::mmap(nullptr, bytes * buffers.size(), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        throwErrno(ErrorKind::Resource, "mmap", "a ring of dma-bufs", errno, kLess);
    }
    std::shared_ptr<Memory> memory(new Memory(kind, {}, base, bytes * buffers.size()));
    for (std::size_t at = 0; at < buffers.size(); ++at) {
        const int descriptor = buffers[at].get();
        const auto holds = dmaBufBytes(descriptor);
        if (!holds || *holds < bytes) {
            const std::string what = holds ? fmt::format("holds {} bytes, {} are needed", *holds, bytes)
                                           : std::string("is no dma-buf");
            throw Error(ofPeer ? ErrorKind::Peer : ErrorKind::Device,
                        fmt::format("{} buffer {} {}", whose, at, what));
        }
        void* const place = memory->base_ + at * bytes;
        if (::mmap(place, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, 0) == MAP_FAILED) {
            const int code = errno;
            throwErrno(ofPeer || code == ENOMEM ? ErrorKind::Resource : ErrorKind::Device, "mmap",
                       fmt::format("{} dma-buf {}", whose, at), code);
        }
    }
    memory->buffers_ = std::move(buffers);
    return memory;
}

std::unique_ptr<const DeviceMemory> DeviceAllocator::mapShared(UniqueFd, std::uint64_t) const {
    throw Error(ErrorKind::Device, deviceName() + " maps no memory of other processes");
}

std::shared_ptr<const Memory> Memory::lent(std::span<std::byte> bytes) {
    return std::shared_ptr<const Memory>(new Memory(MemoryKind::Lent, {}, bytes.data(), bytes.size()));
}

std::shared_ptr<const Memory> Memory::ofDevice(std::unique_ptr<const DeviceMemory> device) {
    auto memory = std::shared_ptr<Memory>(new Memory(MemoryKind::Device, {}, nullptr, device->size()));
    memory->device_ = std::make_unique<Device>();
    memory->device_->memory = std::move(device);
    return memory;
}

Memory::Device::~Device() {
    for (const auto& callback : beforeRelease) {
        callback();
    }
}

void Memory::beforeRelease(std::function<void()> callback) const {
    const std::lock_guard lock(device_->mutex);
    device_->beforeRelease.push_back(std::move(callback));
}

std::shared_ptr<const Memory> Memory::mapFile(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
    void* base = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(offset));
    if (base == MAP_FAILED) {
        return nullptr;
    }
    return std::shared_ptr<const Memory>(new Memory(MemoryKind::File, {}, base, bytes));
}

}  // namespace verbcast
