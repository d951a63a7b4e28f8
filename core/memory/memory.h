// Memory itself; who may use which part of it is in slots.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "core/memory/device_memory.h"

namespace verbcast {

struct MemoryFileOptions {
    const char* name;         ///< for /proc
    std::uint64_t bytes;      ///< its size
    unsigned flags = 0;       ///< of memfd_create(2), besides those for closing on exec and sealing
    std::string purpose;      ///< what it is for, in errors: "a ring of 1.0 GiB"
    const char* remedy = "";  ///< what to do if there is not enough memory
};

/// Creates a file in memory (memfd_create), of zeros, to share with other processes. Throws Error{Resource};
/// also if it exceeds this process's limit on the size of files (RLIMIT_FSIZE), which counts for memory, too:
/// the kernel would end the process (SIGXFSZ).
UniqueFd makeMemoryFile(const MemoryFileOptions& options);

enum class MemoryKind {
    Host,     ///< ours: writable, shared with other processes by its descriptor
    Peer,     ///< another process's, mapped for reading
    File,     ///< a part of a file, mapped for reading
    Buffers,  ///< dma-bufs of a device, one per slot, mapped for reading
    Device,   ///< a GPU's, out of the processor's reach
    Lent,     ///< somebody else's in this process, who writes it
};

struct MemoryOptions {
    std::uint64_t bytes = 0;
    bool hugePages = true;  ///< use them if enough are free, else plain pages
    /// Called with the descriptor (the memory keeps it) before it is sealed: a trusted process that needs to
    /// write there, such as the X server, must map it now.
    std::function<void(int descriptor)> beforeSealing{};
};

/// One mapping. It never changes, so it is safe to use from any thread, and it lives as long as anybody
/// shares it.
class Memory {
  public:
    /// Anonymous and zeroed, behind a memfd that is sealed so that a peer can only map it for reading and
    /// cannot shrink it. Throws Error{Resource} when the machine lacks the memory.
    static std::shared_ptr<const Memory> allocate(const MemoryOptions& options);

    /// Maps a peer's memory for reading. The descriptor must be a memfd sealed against shrinking and against
    /// new writable mappings, of `bytes` or, with huge pages, up to one huge page more; else Error{Peer}.
    static std::shared_ptr<const Memory> mapPeer(UniqueFd memfd, std::uint64_t bytes);

    /// Maps a part of a file for reading; `offset` and `bytes` are multiples of the page size, and the file
    /// must contain the whole range. If the file is truncated, reading it faults: only system calls, which
    /// return an error then, may read it. Null if it cannot be mapped.
    static std::shared_ptr<const Memory> mapFile(int descriptor, std::uint64_t offset, std::uint64_t bytes);

    /// Maps dma-bufs for reading, one after the other: `bytes` of each, a multiple of the page size. `kind`:
    /// Buffers of our own device, or a Peer's. Throws Error{Resource} without memory for the mapping,
    /// Error{Device} if a descriptor is no dma-buf or too small, or its driver cannot map it; for a peer's
    /// Error{Peer}, and Error{Resource} if mapping fails. A dma-buf cannot be shrunk, but its device may take
    /// it away, and then reading faults: only accept them from a peer of the same user.
    static std::shared_ptr<const Memory> mapBuffers(MemoryKind kind, std::vector<UniqueFd> buffers,
                                                    std::uint64_t bytes);

    /// Memory in this process that somebody else owns, writes and keeps for as long as this lives. Not empty.
    static std::shared_ptr<const Memory> lent(std::span<std::byte> bytes);

    /// Wraps a device's memory. Never null.
    static std::shared_ptr<const Memory> ofDevice(std::unique_ptr<const DeviceMemory> device);

    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    MemoryKind kind() const { return kind_; }
    /// Only Host memory may be written, by this process or by a device on a peer's behalf.
    bool writable() const { return kind_ == MemoryKind::Host; }
    /// All of it, as mapped in this process. Empty for memory that the processor cannot reach.
    std::span<std::byte> bytes() const { return {base_, base_ != nullptr ? bytes_ : 0}; }
    /// In bytes, for every kind.
    std::uint64_t size() const { return bytes_; }
    /// Null except for Device.
    const DeviceMemory* device() const { return device_ ? device_->memory.get() : nullptr; }
    /// Device memory only: the callback runs before the memory is freed, on the thread that drops it last.
    /// For users that registered it with another device and must deregister first. Must not throw.
    void beforeRelease(std::function<void()> callback) const;
    /// The dma-bufs that it consists of, all of the same size; empty for other kinds. The memory owns them.
    std::span<const UniqueFd> buffers() const { return buffers_; }
    /// What another process maps to see the same memory; negative if there is none (File, Lent, Device,
    /// dma-bufs). The memory owns it.
    int descriptor() const { return fd_.get(); }

  private:
    Memory(MemoryKind kind, UniqueFd descriptor, void* base, std::uint64_t bytes);

    MemoryKind kind_;
    UniqueFd fd_;
    std::vector<UniqueFd> buffers_;
    std::byte* base_;
    std::uint64_t bytes_;
    struct Device {
        ~Device();
        std::unique_ptr<const DeviceMemory> memory;
        std::mutex mutex;
        std::vector<std::function<void()>> beforeRelease;
    };
    std::unique_ptr<Device> device_;  // null for all other kinds
};

/// Rounds up to the page size.
std::uint64_t wholePages(std::uint64_t bytes);

}  // namespace verbcast
