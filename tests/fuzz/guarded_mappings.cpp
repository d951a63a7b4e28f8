// Linked with --wrap=mmap and --wrap=munmap: replaces both for all of our code.
#include "tests/fuzz/guarded_mappings.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>

namespace {

// The linker dictates the wrapped names.
extern "C" {
void* __real_mmap(void* address, std::size_t bytes, int protection, int flags, int descriptor, off_t offset);
int __real_munmap(void* address, std::size_t bytes);
}

struct Mappings {
    std::mutex mutex;
    std::map<void*, std::size_t> whole;  // by the address returned: the whole reservation
};

Mappings& mappings() {
    static Mappings all;
    return all;
}

std::size_t wholePages(std::size_t bytes, std::size_t page) {
    return (bytes + page - 1) / page * page;
}

}  // namespace

extern "C" void* __wrap_mmap(void* address, std::size_t bytes, int protection, int flags, int descriptor,
                             off_t offset) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    if (address != nullptr || (flags & MAP_SHARED) == 0 || bytes > SIZE_MAX / 2) {
        return __real_mmap(address, bytes, protection, flags, descriptor, offset);
    }
    const std::size_t whole = wholePages(bytes, page) + 2 * page;
    void* reserved =
        __real_mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) {
        return reserved;
    }
    void* inner = static_cast<char*>(reserved) + page;
    if (__real_mmap(inner, bytes, protection, flags | MAP_FIXED, descriptor, offset) == MAP_FAILED) {
        const int code = errno;
        __real_munmap(reserved, whole);
        errno = code;
        return MAP_FAILED;
    }
    const std::lock_guard lock(mappings().mutex);
    mappings().whole[inner] = whole;
    return inner;
}

extern "C" int __wrap_munmap(void* address, std::size_t bytes) {
    const std::lock_guard lock(mappings().mutex);
    const auto found = mappings().whole.find(address);
    if (found == mappings().whole.end()) {
        return __real_munmap(address, bytes);
    }
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t whole = found->second;
    mappings().whole.erase(found);
    return __real_munmap(static_cast<char*>(address) - page, whole);
}

std::size_t verbcast::fuzz::guardedMappings() {
    const std::lock_guard lock(mappings().mutex);
    return mappings().whole.size();
}
