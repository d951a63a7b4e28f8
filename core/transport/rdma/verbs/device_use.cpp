#include "core/transport/rdma/verbs/device_use.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "core/base/log/log.h"
#include "core/base/os/unique_fd.h"
#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {
namespace {

/// What we know of a context, kept even when nothing uses it: rdma_cm's library may close it then.
struct Use {
    int count = 0;
    bool removed = false;
    const ibv_device* device = nullptr;
    std::string node;
    int commands = -1;
    int events = -1;
    struct stat file {};  // what `commands` refers to: differs once the number has been reused

    explicit Use(const ibv_context* context)
        : device(context->device),
          node(context->device->dev_name),
          commands(context->cmd_fd),
          events(context->async_fd) {
        ::fstat(commands, &file);
    }
    bool isOpen() const {
        struct stat now {};
        return ::fstat(commands, &now) == 0 && now.st_dev == file.st_dev && now.st_ino == file.st_ino;
    }
};

struct Uses {
    std::mutex mutex;
    std::map<ibv_context*, Use> byContext;
};

Uses& uses() {
    static Uses all;
    return all;
}

/// rdma_cm's library keeps each device's context until the program ends, or until another device replaces it;
/// with drivers that cannot take a device away from a running program (rxe, siw), the removal waits for that.
/// So we close what its descriptors refer to now; the library closes the descriptors themselves.
void close(const Use& use) {
    if (!use.isOpen()) {
        return;
    }
    const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const bool closed = nothing && ::dup3(nothing.get(), use.commands, O_CLOEXEC) >= 0 &&
                        ::dup3(nothing.get(), use.events, O_CLOEXEC) >= 0;
    log(LogCategory::Verbs)
        .debug("a removed RDMA device was {}", closed ? "released" : "kept: no descriptor is left");
}

/// Call with the lock held.
void closeUnused(std::map<ibv_context*, Use>& all, std::map<ibv_context*, Use>::iterator use) {
    if (use->second.count == 0 && use->second.removed) {
        close(use->second);
        all.erase(use);
    }
}

template <typename Wanted>
std::vector<ibv_context*> contextsOf(Wanted&& wanted) {
    std::vector<ibv_context*> found;
    Uses& all = uses();
    const std::lock_guard lock(all.mutex);
    for (const auto& [context, use] : all.byContext) {
        if (wanted(use)) {
            found.push_back(context);
        }
    }
    return found;
}

}  // namespace

DeviceUse::DeviceUse(ibv_context* context) : context_(context) {
    Uses& all = uses();
    const std::lock_guard lock(all.mutex);
    const auto use = all.byContext.try_emplace(context, context).first;
    if (use->second.count == 0) {
        use->second = Use(context);  // the address may be reused from an earlier one
    }
    ++use->second.count;
}

DeviceUse::~DeviceUse() {
    Uses& all = uses();
    const std::lock_guard lock(all.mutex);
    const auto use = all.byContext.find(context_);
    --use->second.count;
    closeUnused(all.byContext, use);
}

void DeviceUse::deviceRemoved(ibv_context* context) {
    Uses& all = uses();
    const std::lock_guard lock(all.mutex);
    const auto use = all.byContext.find(context);
    if (use == all.byContext.end()) {
        return;  // another thread was told first, and the context may be gone
    }
    use->second.removed = true;
    closeUnused(all.byContext, use);
}

std::vector<ibv_context*> DeviceUse::ofMissingDevices() {
    int count = 0;
    const DeviceListHandle list(ibv_get_device_list(&count));
    return contextsOf([&](const Use& use) {
        return list && std::find(list.get(), list.get() + count, use.device) == list.get() + count;
    });
}

std::vector<ibv_context*> DeviceUse::ofNode(std::string_view node) {
    return contextsOf([&](const Use& use) { return use.node == node; });
}

bool DeviceUse::isRemoved(ibv_context* context) {
    Uses& all = uses();
    const std::lock_guard lock(all.mutex);
    const auto use = all.byContext.find(context);
    return use != all.byContext.end() && use->second.removed;
}

GoneDevices::GoneDevices() : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (inotify_ && ::inotify_add_watch(inotify_.get(), "/dev/infiniband", IN_DELETE) < 0) {
        inotify_.reset();
    }
}

std::vector<ibv_context*> GoneDevices::left() const {
    std::vector<ibv_context*> contexts;
    alignas(inotify_event) std::array<std::byte, 4096> buffer;
    for (ssize_t got = 0; inotify_ && (got = ::read(inotify_.get(), buffer.data(), buffer.size())) > 0;) {
        for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
            inotify_event event;
            std::memcpy(&event, buffer.data() + at, sizeof event);
            at += sizeof event;
            const char* name = reinterpret_cast<const char*>(buffer.data() + at);
            const auto gone = DeviceUse::ofNode(std::string_view(name, ::strnlen(name, event.len)));
            contexts.insert(contexts.end(), gone.begin(), gone.end());
            at += event.len;
        }
    }
    return contexts;
}

}  // namespace verbcast
