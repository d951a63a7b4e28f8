#include "core/multicast/group_keys.h"

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

// The others wait no longer for one that does not answer; it asks for what it cannot read.
constexpr TimestampNs kMaxKeyWait = 1'000'000'000;

}  // namespace

GroupKeys::GroupKeys(bool tagged, bool encrypted) : tagged_(tagged), encrypted_(encrypted) {
    renew(0);
}

GroupKeyMessage GroupKeys::tell(TimestampNs now) {
    if (pending_.id != used_.id && dueAt_ == 0) {
        dueAt_ = now + kMaxKeyWait;
    }
    return {pending_.id, pending_.key};
}

void GroupKeys::take(std::uint64_t viewer, std::uint16_t keyId, TimestampNs now) {
    if (const auto found = taken_.find(viewer); found != taken_.end()) {
        found->second = keyId;
        use(now);
    }
}

void GroupKeys::leave(std::uint64_t viewer, TimestampNs now) {
    taken_.erase(viewer);
    renew(now);
}

/// Viewers keep two keys, so while one is on its way no other follows.
void GroupKeys::renew(TimestampNs now) {
    if (!tagged_) {
        return;
    }
    if (pending_.id == used_.id) {
        make();
    } else {
        another_ |= dueAt_ != 0;  // the viewer that left may have been told it
    }
    use(now);
}

void GroupKeys::make() {
    const auto next = static_cast<std::uint16_t>(pending_.id + 1);
    pending_ = {next == 0 ? std::uint16_t{1} : next, randomDatagramKey()};
    newest_ = pending_.id;
    dueAt_ = 0;
}

void GroupKeys::use(TimestampNs now) {
    while (pending_.id != used_.id) {
        const bool all =
            std::ranges::all_of(taken_, [this](const auto& viewer) { return viewer.second == pending_.id; });
        if (!all && (dueAt_ == 0 || now < dueAt_)) {
            return;
        }
        used_ = pending_;
        dueAt_ = 0;
        seal_ = std::make_unique<DatagramSeal>(used_.key, encrypted_, DatagramSeal::Use::Seal);
        if (std::exchange(another_, false)) {
            make();
        }
    }
}

}  // namespace verbcast
