// The six functions that libfabric exports; all others are calls through its objects.
#include <dlfcn.h>

#include <csignal>
#include <cstdlib>

#include "core/transport/rdma/ofi/ofi_handles.h"

namespace verbcast {
namespace {

struct Library {
    std::string problem;
    decltype(&::fi_getinfo) getinfo = nullptr;
    decltype(&::fi_freeinfo) freeinfo = nullptr;
    decltype(&::fi_dupinfo) dupinfo = nullptr;
    decltype(&::fi_fabric) fabric = nullptr;
    decltype(&::fi_version) version = nullptr;
    decltype(&::fi_strerror) strerror = nullptr;

    Library() {
        // Otherwise PSM and PSM2 install signal handlers in the program.
        ::setenv("IPATH_NO_BACKTRACE", "1", 0);
        ::setenv("HFI_NO_BACKTRACE", "1", 0);
        void* handle = ::dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) {
            problem = std::string("libfabric cannot be loaded: ") + ::dlerror();
            return;
        }
        find(handle, getinfo, "fi_getinfo", "FABRIC_1.3");
        find(handle, freeinfo, "fi_freeinfo", "FABRIC_1.3");
        find(handle, dupinfo, "fi_dupinfo", "FABRIC_1.3");
        find(handle, fabric, "fi_fabric", "FABRIC_1.1");
        find(handle, version, "fi_version", "FABRIC_1.0");
        find(handle, strerror, "fi_strerror", "FABRIC_1.0");
    }

    template <typename Function>
    void find(void* handle, Function& function, const char* name, const char* since) {
        function = reinterpret_cast<Function>(::dlvsym(handle, name, since));
        if (function == nullptr) {
            problem = std::string("libfabric has no ") + name + " of " + since;
        }
    }
};

const Library& library() {
    static const Library loaded;
    return loaded;
}

/// libfabric writes to sockets without MSG_NOSIGNAL: a peer that leaves would kill a program that leaves
/// SIGPIPE at its default.
void ignoreBrokenPipes() {
    struct sigaction now {};
    if (::sigaction(SIGPIPE, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == SIG_DFL) {
        std::signal(SIGPIPE, SIG_IGN);
    }
}

}  // namespace

std::string ofiLibraryProblem() {
    return library().problem;
}

}  // namespace verbcast

extern "C" {

int fi_getinfo(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
               const struct fi_info* hints, struct fi_info** info) {
    const auto& library = verbcast::library();
    return library.problem.empty() ? library.getinfo(version, node, service, flags, hints, info) : -FI_ENOSYS;
}

void fi_freeinfo(struct fi_info* info) {
    if (verbcast::library().problem.empty()) {
        verbcast::library().freeinfo(info);
    }
}

struct fi_info* fi_dupinfo(const struct fi_info* info) {
    return verbcast::library().problem.empty() ? verbcast::library().dupinfo(info) : nullptr;
}

int fi_fabric(struct fi_fabric_attr* attributes, struct fid_fabric** fabric, void* context) {
    const auto& library = verbcast::library();
    verbcast::ignoreBrokenPipes();
    return library.problem.empty() ? library.fabric(attributes, fabric, context) : -FI_ENOSYS;
}

std::uint32_t fi_version(void) {
    return verbcast::library().problem.empty() ? verbcast::library().version() : 0;
}

const char* fi_strerror(int code) {
    return verbcast::library().problem.empty() ? verbcast::library().strerror(code)
                                               : "libfabric is not there";
}

}  // extern "C"
