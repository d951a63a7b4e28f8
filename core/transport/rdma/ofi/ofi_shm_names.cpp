#include "core/transport/rdma/ofi/ofi_shm_names.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "core/base/os/folder.h"
#include "core/base/os/part_file.h"

namespace verbcast {
namespace {

constexpr std::string_view kScheme = "fi_shm://";
constexpr std::string_view kPrefix = "vbst-";

/// Two processes in different namespaces may have the same id and see the same files.
std::uint64_t processNamespace() {
    struct stat status {};
    return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

/// The process that a file's name refers to; 0 for a file that we did not make.
pid_t ownerOf(std::string_view name) {
    if (!name.starts_with(kPrefix)) {
        return 0;
    }
    name.remove_prefix(kPrefix.size());
    pid_t process = 0;
    const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), process);
    const std::string_view rest(end, static_cast<std::size_t>(name.data() + name.size() - end));
    const bool ours =
        code == std::errc() && process > 0 && rest.starts_with(fmt::format("-{}.", processNamespace()));
    return ours ? process : 0;
}

}  // namespace

std::string newShmEndpointName() {
    return unguessableName(fmt::format("{}{}{}-{}", kScheme, kPrefix, ::getpid(), processNamespace()));
}

bool isOurShmEndpoint(std::string_view name) {
    return name.starts_with(kScheme) && ownerOf(name.substr(kScheme.size())) == ::getpid();
}

void removeShmFilesOfTheDead() {
    const std::string folder = "/dev/shm";
    for (const std::string& name : namesIn(folder)) {
        const pid_t owner = ownerOf(name);
        const std::string path = folder + "/" + name;
        struct stat status {};
        if (owner != 0 && ::kill(owner, 0) != 0 && errno == ESRCH && ::lstat(path.c_str(), &status) == 0 &&
            status.st_uid == ::geteuid()) {
            ::unlink(path.c_str());
        }
    }
}

}  // namespace verbcast
