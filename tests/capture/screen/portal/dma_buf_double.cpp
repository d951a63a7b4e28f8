// A stand-in for the kernel's dma-bufs where no driver makes any: memfds of makeDmaBuf() answer fstatfs() and
// DMA_BUF_IOCTL_SYNC of this program as dma-bufs do. It takes the place of the C library's functions.
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <map>
#include <mutex>
#include <stdexcept>

#include "tests/capture/screen/portal/buffer_maker.h"

namespace verbcast::testing {
namespace {

struct Kernel {
    std::mutex mutex;
    std::map<std::uint64_t, int> readers;  // by inode
    std::uint64_t begun = 0;
    bool refuses = false;
};

Kernel& kernel() {
    static Kernel it;
    return it;
}

std::uint64_t inodeOf(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

/// Nothing for other descriptors; else the result.
std::optional<int> synchronise(int descriptor, std::uint64_t flags) {
    const std::uint64_t inode = inodeOf(descriptor);
    Kernel& it = kernel();
    const std::lock_guard lock(it.mutex);
    const auto found = it.readers.find(inode);
    if (found == it.readers.end()) {
        return std::nullopt;
    }
    if (it.refuses || (flags & ~std::uint64_t{DMA_BUF_SYNC_VALID_FLAGS_MASK}) != 0) {
        errno = EINVAL;
        return -1;
    }
    const bool ends = (flags & DMA_BUF_SYNC_END) != 0;
    found->second += ends ? -1 : 1;
    it.begun += ends ? 0 : 1;
    return 0;
}

}  // namespace

UniqueFd makeDmaBuf(std::uint64_t bytes) {
    constexpr std::uint64_t kPage = 4096;
    UniqueFd memory(::memfd_create("dma-buf", MFD_CLOEXEC));
    if (!memory || ::ftruncate(memory.get(), static_cast<off_t>((bytes + kPage - 1) / kPage * kPage)) != 0) {
        throw std::runtime_error("no memory for a stand-in for a dma-buf");
    }
    Kernel& it = kernel();
    const std::lock_guard lock(it.mutex);
    it.readers[inodeOf(memory.get())] = 0;
    return memory;
}

bool isBeingRead(int buffer) {
    Kernel& it = kernel();
    const std::uint64_t inode = inodeOf(buffer);
    const std::lock_guard lock(it.mutex);
    const auto found = it.readers.find(inode);
    return found != it.readers.end() && found->second > 0;
}

std::uint64_t readsBegun() {
    const std::lock_guard lock(kernel().mutex);
    return kernel().begun;
}

bool knowsReads() {
    return true;
}

void refuseToSynchronise(bool refuse) {
    const std::lock_guard lock(kernel().mutex);
    kernel().refuses = refuse;
}

/// Whether the stand-in made it.
bool isDouble(int descriptor) {
    const std::uint64_t inode = inodeOf(descriptor);
    const std::lock_guard lock(kernel().mutex);
    return kernel().readers.contains(inode);
}

}  // namespace verbcast::testing

extern "C" int fstatfs(int descriptor, struct statfs* status) noexcept {
    if (verbcast::testing::isDouble(descriptor)) {
        *status = {};
        status->f_type = DMA_BUF_MAGIC;
        return 0;
    }
    return static_cast<int>(::syscall(SYS_fstatfs, descriptor, status));
}

extern "C" int ioctl(int descriptor, unsigned long request, ...) noexcept {
    std::va_list arguments;
    va_start(arguments, request);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    if (request == DMA_BUF_IOCTL_SYNC) {
        if (const auto done = verbcast::testing::synchronise(
                descriptor, static_cast<const dma_buf_sync*>(argument)->flags)) {
            return *done;
        }
    }
    return static_cast<int>(::syscall(SYS_ioctl, descriptor, request, argument));
}
