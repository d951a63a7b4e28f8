#include "core/base/os/device_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace verbcast {
namespace {

// udev sets the permissions after it creates the node.
constexpr std::uint32_t kChanges = IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE | IN_ONLYDIR;

}  // namespace

DeviceWatch::DeviceWatch(const std::string& path)
    : path_(std::filesystem::absolute(path)), fd_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (!fd_) {
        throwErrno(ErrorKind::Resource, "inotify_init1", path_, errno,
                   "raise /proc/sys/fs/inotify/max_user_instances");
    }
    watchFolder();
}

void DeviceWatch::watchFolder() {
    std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    while (::inotify_add_watch(fd_.get(), folder.c_str(), kChanges) < 0) {
        if ((errno != ENOENT && errno != ENOTDIR) || folder == folder.parent_path()) {
            throwErrno(ErrorKind::Resource, "inotify_add_watch", folder.string(), errno,
                       errno == ENOSPC ? "raise /proc/sys/fs/inotify/max_user_watches" : "");
        }
        folder = folder.parent_path();
    }
}

Status DeviceWatch::wait(std::chrono::nanoseconds timeout, const Event& cancel) {
    const bool woken = waitReadable({fd_.get(), cancel.descriptor()}, timeout);
    if (cancel.isSet()) {
        return Status::Cancelled;
    }
    if (!woken) {
        return Status::TimedOut;
    }
    clear();
    return Status::Ok;
}

void DeviceWatch::clear() {
    alignas(inotify_event) char events[4096];
    while (::read(fd_.get(), events, sizeof events) > 0) {
    }
    // A folder in between may be new: moves the watch to it before the caller looks at the device.
    watchFolder();
}

}  // namespace verbcast
