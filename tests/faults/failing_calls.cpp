// A library to preload: makes one C library call or one allocation of the program itself fail once.
//
// A site is a function plus the place in the program (or in the C++ library on its behalf) that calls it.
// Sites and their call counts are written to the file VERBCAST_FAULTS_SITES. VERBCAST_FAULTS_FAIL, "FUNCTION
// PLACE COUNT" in the same notation, selects the call to fail. Only main() and its threads are affected, not
// the loader or exit handlers.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

struct Range {
    std::uintptr_t begin = 0, end = 0, base = 0;
    char letter = '?';
};

struct Site {
    std::atomic<const char*> function{nullptr};
    std::atomic<std::uintptr_t> place{0};
    std::atomic<unsigned> count{0};
};

constexpr std::size_t kMaxSites = 1U << 14U;

std::array<Range, 2> ranges;  // the program (p) and the C++ library (c)
std::array<Site, kMaxSites> sites;
std::atomic<bool> active{false};
int sitesFile = -1;
// The call to fail.
std::array<char, 64> failFunction{};
std::array<char, 32> failPlace{};
unsigned failCount = 0;

int findRanges(dl_phdr_info* info, std::size_t, void*) {
    const bool program = info->dlpi_name == nullptr || info->dlpi_name[0] == '\0';
    const bool library = !program && std::strstr(info->dlpi_name, "libstdc++") != nullptr;
    for (int i = 0; (program || library) && i < info->dlpi_phnum; ++i) {
        const auto& part = info->dlpi_phdr[i];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
            const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
            ranges[program ? 0 : 1] = {begin, begin + part.p_memsz, info->dlpi_addr, program ? 'p' : 'c'};
        }
    }
    return 0;
}

const Range* rangeOf(std::uintptr_t address) {
    for (const Range& range : ranges) {
        if (address >= range.begin && address < range.end) {
            return &range;
        }
    }
    return nullptr;
}

Site* siteOf(const char* function, std::uintptr_t place) {
    std::size_t index = (place * 0x9E3779B97F4A7C15U) >> 50U;
    for (std::size_t tried = 0; tried < kMaxSites; ++tried, index = (index + 1) % kMaxSites) {
        std::uintptr_t none = 0;
        sites[index].place.compare_exchange_strong(none, place);
        if (sites[index].place == place) {
            const char* nobody = nullptr;
            sites[index].function.compare_exchange_strong(nobody, function);
            if (sites[index].function == function) {
                return &sites[index];
            }
        }
    }
    return nullptr;
}

void describePlace(std::array<char, 32>& text, const Range& range, std::uintptr_t address) {
    std::snprintf(text.data(), text.size(), "%c%zx", range.letter,
                  static_cast<std::size_t>(address - range.base));
}

void tell(const char* word, const char* function, const char* place, unsigned count) {
    std::array<char, 160> line{};
    const int length = std::snprintf(line.data(), line.size(), "%s %s %s %u\n", word, function, place, count);
    [[maybe_unused]] const auto ignored = ::write(sitesFile, line.data(), static_cast<std::size_t>(length));
}

/// Events and timers are eight bytes, and the C++ library reads files of /proc: neither fails in any kernel.
bool cannotFail(const char* function, const Range& range, std::size_t bytes) {
    const bool file = std::strcmp(function, "read") == 0 || std::strcmp(function, "write") == 0;
    return file && (bytes == sizeof(std::uint64_t) || range.letter == 'c');
}

/// Counts the call; returns true if it is the one to fail. `bytes` is needed only where cannotFail() uses it.
bool fails(const char* function, const void* caller, std::size_t bytes = 0) {
    if (!active.load(std::memory_order_relaxed)) {
        return false;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    const Range* range = rangeOf(address);
    const bool counts = range != nullptr && !cannotFail(function, *range, bytes);
    Site* site = counts ? siteOf(function, address) : nullptr;
    if (site == nullptr) {
        return false;
    }
    const unsigned count = ++site->count;
    if (count != failCount || std::strcmp(function, failFunction.data()) != 0) {
        return false;
    }
    std::array<char, 32> place{};
    describePlace(place, *range, address);
    if (std::strcmp(place.data(), failPlace.data()) != 0) {
        return false;
    }
    tell("failed", function, place.data(), count);
    return true;
}

void tellSites() {
    active = false;
    for (Site& site : sites) {
        if (const char* function = site.function; function != nullptr) {
            std::array<char, 32> place{};
            describePlace(place, *rangeOf(site.place), site.place);
            tell("site", function, place.data(), site.count);
        }
    }
}

template <typename Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int (*realMain)(int, char**, char**) = nullptr;

int mainWithFaults(int count, char** arguments, char** environment) {
    if (const char* path = std::getenv("VERBCAST_FAULTS_SITES"); path != nullptr) {
        sitesFile = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    }
    if (const char* wanted = std::getenv("VERBCAST_FAULTS_FAIL"); wanted != nullptr) {
        std::sscanf(wanted, "%63s %31s %u", failFunction.data(), failPlace.data(), &failCount);
    }
    ::dl_iterate_phdr(findRanges, nullptr);
    active = true;
    const int code = realMain(count, arguments, environment);
    tellSites();
    return code;
}

}  // namespace

// The functions are defined by symbol, because their declarations in headers have differing exception
// specifications.
#define INSTEAD_OF(name, type, parameters)                    \
    extern "C" type failing_##name parameters __asm__(#name); \
    __attribute__((visibility("default"))) type failing_##name parameters

#define FAILS(name, code, type, failure, parameters, arguments) \
    INSTEAD_OF(name, type, parameters) {                        \
        static auto* const real = next<type parameters>(#name); \
        if (fails(#name, __builtin_return_address(0))) {        \
            errno = code;                                       \
            return failure;                                     \
        }                                                       \
        return real arguments;                                  \
    }

INSTEAD_OF(__libc_start_main, int,
           (int (*program)(int, char**, char**), int count, char** arguments, void (*init)(), void (*fini)(),
            void (*loaderFini)(), void* stack)) {
    realMain = program;
    return next<decltype(failing___libc_start_main)>("__libc_start_main")(mainWithFaults, count, arguments,
                                                                          init, fini, loaderFini, stack);
}

FAILS(socket, EMFILE, int, -1, (int a, int b, int c), (a, b, c))
FAILS(socketpair, EMFILE, int, -1, (int a, int b, int c, int* d), (a, b, c, d))
FAILS(bind, EADDRINUSE, int, -1, (int a, const void* b, unsigned c), (a, b, c))
FAILS(listen, EADDRINUSE, int, -1, (int a, int b), (a, b))
FAILS(accept4, EMFILE, int, -1, (int a, void* b, void* c, int d), (a, b, c, d))
FAILS(connect, ENETUNREACH, int, -1, (int a, const void* b, unsigned c), (a, b, c))
FAILS(setsockopt, ENOBUFS, int, -1, (int a, int b, int c, const void* d, unsigned e), (a, b, c, d, e))
FAILS(getsockopt, ENOBUFS, int, -1, (int a, int b, int c, void* d, void* e), (a, b, c, d, e))
FAILS(getsockname, ENOBUFS, int, -1, (int a, void* b, void* c), (a, b, c))
FAILS(getpeername, ENOTCONN, int, -1, (int a, void* b, void* c), (a, b, c))
FAILS(shutdown, ENOTCONN, int, -1, (int a, int b), (a, b))
FAILS(send, ECONNRESET, ssize_t, -1, (int a, const void* b, std::size_t c, int d), (a, b, c, d))
FAILS(sendmsg, ECONNRESET, ssize_t, -1, (int a, const void* b, int c), (a, b, c))
FAILS(recv, ECONNRESET, ssize_t, -1, (int a, void* b, std::size_t c, int d), (a, b, c, d))
FAILS(recvmsg, ECONNRESET, ssize_t, -1, (int a, void* b, int c), (a, b, c))
INSTEAD_OF(read, ssize_t, (int file, void* data, std::size_t bytes)) {
    static auto* const real = next<ssize_t(int, void*, std::size_t)>("read");
    if (fails("read", __builtin_return_address(0), bytes)) {
        errno = EIO;
        return -1;
    }
    return real(file, data, bytes);
}
INSTEAD_OF(write, ssize_t, (int file, const void* data, std::size_t bytes)) {
    static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
    if (fails("write", __builtin_return_address(0), bytes)) {
        errno = ENOSPC;
        return -1;
    }
    return real(file, data, bytes);
}
FAILS(pread, EIO, ssize_t, -1, (int a, void* b, std::size_t c, off_t d), (a, b, c, d))
FAILS(pwrite, ENOSPC, ssize_t, -1, (int a, const void* b, std::size_t c, off_t d), (a, b, c, d))
FAILS(poll, ENOMEM, int, -1, (void* a, unsigned long b, int c), (a, b, c))
FAILS(ppoll, ENOMEM, int, -1, (void* a, unsigned long b, const void* c, const void* d), (a, b, c, d))
FAILS(epoll_create1, EMFILE, int, -1, (int a), (a))
FAILS(epoll_ctl, ENOMEM, int, -1, (int a, int b, int c, void* d), (a, b, c, d))
FAILS(epoll_wait, EINTR, int, -1, (int a, void* b, int c, int d), (a, b, c, d))
FAILS(eventfd, EMFILE, int, -1, (unsigned a, int b), (a, b))
FAILS(timerfd_create, EMFILE, int, -1, (int a, int b), (a, b))
FAILS(timerfd_settime, ECANCELED, int, -1, (int a, int b, const void* c, void* d), (a, b, c, d))
FAILS(inotify_init1, EMFILE, int, -1, (int a), (a))
FAILS(inotify_add_watch, ENOSPC, int, -1, (int a, const char* b, unsigned c), (a, b, c))
FAILS(memfd_create, EMFILE, int, -1, (const char* a, unsigned b), (a, b))
FAILS(ftruncate, ENOSPC, int, -1, (int a, off_t b), (a, b))
FAILS(mmap, ENOMEM, void*, MAP_FAILED, (void* a, std::size_t b, int c, int d, int e, off_t f),
      (a, b, c, d, e, f))
FAILS(madvise, EAGAIN, int, -1, (void* a, std::size_t b, int c), (a, b, c))
FAILS(open, EMFILE, int, -1, (const char* a, int b, unsigned c), (a, b, c))
FAILS(openat, EMFILE, int, -1, (int a, const char* b, int c, unsigned d), (a, b, c, d))
FAILS(opendir, EMFILE, void*, nullptr, (const char* a), (a))
FAILS(readdir, EIO, void*, nullptr, (void* a), (a))
FAILS(fopen, EMFILE, void*, nullptr, (const char* a, const char* b), (a, b))
FAILS(fcntl, ENOLCK, int, -1, (int a, int b, long c), (a, b, c))
FAILS(ioctl, EIO, int, -1, (int a, unsigned long b, long c), (a, b, c))
FAILS(fstat, EIO, int, -1, (int a, void* b), (a, b))
FAILS(fsync, EIO, int, -1, (int a), (a))
FAILS(dup, EMFILE, int, -1, (int a), (a))
FAILS(dup2, EBUSY, int, -1, (int a, int b), (a, b))
FAILS(pipe2, EMFILE, int, -1, (int* a, int b), (a, b))
FAILS(fork, EAGAIN, int, -1, (), ())
FAILS(posix_spawnp, EAGAIN, int, EAGAIN,
      (int* a, const char* b, const void* c, const void* d, void* e, void* f), (a, b, c, d, e, f))
FAILS(pthread_create, EAGAIN, int, EAGAIN, (void* a, const void* b, void* (*c)(void*), void* d), (a, b, c, d))
FAILS(prctl, EPERM, int, -1, (int a, unsigned long b, unsigned long c, unsigned long d, unsigned long e),
      (a, b, c, d, e))
FAILS(syscall, EAGAIN, long, -1, (long a, long b, long c, long d, long e, long f, long g),
      (a, b, c, d, e, f, g))
FAILS(getaddrinfo, ENOMEM, int, -10 /* EAI_MEMORY */, (const char* a, const char* b, const void* c, void* d),
      (a, b, c, d))
FAILS(getifaddrs, ENOMEM, int, -1, (void* a), (a))
FAILS(getrandom, EAGAIN, ssize_t, -1, (void* a, std::size_t b, unsigned c), (a, b, c))
FAILS(strdup, ENOMEM, char*, nullptr, (const char* a), (a))
FAILS(aligned_alloc, ENOMEM, void*, nullptr, (std::size_t a, std::size_t b), (a, b))

// The C++ library's own allocation functions, which call malloc().
#define ALLOCATES(name, symbol, parameters, bytes, failure)        \
    extern "C" void* name parameters __asm__(symbol);              \
    __attribute__((visibility("default"))) void* name parameters { \
        static auto* const real = next<void * parameters>(symbol); \
        if (fails("new", __builtin_return_address(0))) {           \
            failure;                                               \
        }                                                          \
        return real bytes;                                         \
    }
ALLOCATES(failingNew, "_Znwm", (std::size_t size), (size), throw std::bad_alloc())
ALLOCATES(failingNewArray, "_Znam", (std::size_t size), (size), throw std::bad_alloc())
ALLOCATES(failingNewAligned, "_ZnwmSt11align_val_t", (std::size_t size, std::size_t align), (size, align),
          throw std::bad_alloc())
ALLOCATES(failingNewNothrow, "_ZnwmRKSt9nothrow_t", (std::size_t size, const void* tag), (size, tag),
          return nullptr)
