// What bytes lie in, apart from who may use which of them (slots.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/memory/device_memory.h"

namespace verbcast {

enum class MemoryKind {
    Host,    ///< ours: writable, shared with other processes by its descriptor
    Peer,    ///< another process's, mapped for reading
    File,    ///< a part of a file, mapped for reading
    Device,  ///< a GPU's, which the processor does not reach
};

struct MemoryOptions {
    std::uint64_t bytes = 0;
    bool hugePages = true;  ///< use them when enough are free, else plain pages
    /// Shown the descriptor (the memory's own) before it is sealed: a trusted process that is to write there,
    /// such as the X server, must map it now.
    std::function<void(int descriptor)> beforeSealing{};
};

/// One mapping. It never changes, so it is safe to use from any thread, and lives as long as anybody shares
/// it.
class Memory {
  public:
    /// Anonymous and zero, behind a memfd that is sealed so that a peer can map it only for reading and
    /// cannot shrink it. Throws Error{Resource} when the machine has not the memory.
    static std::shared_ptr<const Memory> allocate(const MemoryOptions& options);

    /// A peer's memory, mapped for reading. The descriptor must be a memfd sealed against shrinking and
    /// against new writable mappings, of `bytes` or, with huge pages, up to one of them more; else
    /// Error{Peer}.
    static std::shared_ptr<const Memory> mapPeer(UniqueFd memfd, std::uint64_t bytes);

    /// A part of a file, mapped for reading; `offset` and `bytes` are multiples of the page size, and the
    /// file must hold the whole. A file that becomes shorter makes reading it a fault: only system calls,
    /// which give an error then, may read it. Null when it cannot be mapped.
    static std::shared_ptr<const Memory> mapFile(int descriptor, std::uint64_t offset, std::uint64_t bytes);

    /// A device's memory. Never null.
    static std::shared_ptr<const Memory> ofDevice(std::unique_ptr<const DeviceMemory> device);

    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    MemoryKind kind() const { return kind_; }
    /// Only Host memory may be written by this process, or by a device on a peer's behalf.
    bool writable() const { return kind_ == MemoryKind::Host; }
    /// All of it, where this process sees it. Empty for memory that the processor cannot reach.
    std::span<std::byte> bytes() const { return {base_, base_ != nullptr ? bytes_ : 0}; }
    /// Wherever it lies.
    std::uint64_t size() const { return bytes_; }
    /// Null for all but Device.
    const DeviceMemory* device() const { return device_ ? device_->memory.get() : nullptr; }
    /// Of Device memory: called before it is given back, by the thread that drops it last. For who has it
    /// registered with another device, whose hold on it must end first. Must not throw.
    void beforeRelease(std::function<void()> callback) const;
    /// What another process maps to see the same; negative where there is none (File, Device). Belongs to the
    /// memory.
    int descriptor() const { return fd_.get(); }

  private:
    Memory(MemoryKind kind, UniqueFd descriptor, void* base, std::uint64_t bytes);

    MemoryKind kind_;
    UniqueFd fd_;
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

/// Rounded up to the page size.
std::uint64_t wholePages(std::uint64_t bytes);

}  // namespace verbcast
