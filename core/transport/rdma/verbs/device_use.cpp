#include "core/transport/rdma/verbs/device_use.h"

#include <fcntl.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "core/base/log.h"
#include "core/base/unique_fd.h"

namespace verbcast {
namespace {

struct Use {
    int count = 0;
    bool removed = false;
};

struct Uses {
    std::mutex mutex;
    std::map<ibv_context*, Use> byContext;
};

Uses& uses() {
    static Uses all;
    return all;
}

/// rdma_cm's library keeps the context of each device until the program ends, or until another device is
/// there instead; drivers that cannot take a device away from under a program (rxe, siw) let the removal wait
/// for it. So what its descriptors lead to is closed now; the library closes the descriptors themselves.
void closeContext(const ibv_context* context) {
    const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const bool closed = nothing && ::dup3(nothing.get(), context->cmd_fd, O_CLOEXEC) >= 0 &&
                        ::dup3(nothing.get(), context->async_fd, O_CLOEXEC) >= 0;
    log(LogCategory::Rdma)
        .debug("a removed RDMA device was {}", closed ? "let go" : "kept: no descriptor is left");
}

/// With the lock held.
void closeUnused(std::map<ibv_context*, Use>& all, std::map<ibv_context*, Use>::iterator use) {
    if (use->second.count == 0) {
        if (use->second.removed) {
            closeContext(use->first);
        }
        all.erase(use);
    }
}

}  // namespace

DeviceUse::DeviceUse(ibv_context* context) : context_(context) {
    Uses& all = uses();
    const std::lock_guard lock(all.mutex);
    ++all.byContext[context].count;
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
    const auto use = all.byContext.try_emplace(context).first;
    use->second.removed = true;
    closeUnused(all.byContext, use);
}

bool DeviceUse::isRemoved(ibv_context* context) {
    Uses& all = uses();
    const std::lock_guard lock(all.mutex);
    const auto use = all.byContext.find(context);
    return use != all.byContext.end() && use->second.removed;
}

}  // namespace verbcast
