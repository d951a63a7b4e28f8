// Keys of datagrams: a viewer that leaves does not know the next one, and those that stay have it before it
// is used.
#include <algorithm>
#include <utility>

#include "core/multicast/group_hub.h"

namespace verbcast {
namespace {

// The others wait no longer for one that does not answer; it asks for what it cannot read.
constexpr TimestampNs kMaxKeyWait = 1'000'000'000;

}  // namespace

GroupKeyMessage GroupHub::key() {
    bool first = false;
    GroupKeyMessage key;
    {
        const std::lock_guard lock(mutex_);
        first = pending_.id != used_.id && keyDueAt_ == 0;
        keyDueAt_ = first ? nowNs() + kMaxKeyWait : keyDueAt_;
        key = {pending_.id, pending_.key};
    }
    if (first) {
        work_.notify();
    }
    return key;
}

void GroupHub::keyTaken(Viewer viewer, std::uint16_t keyId) {
    const std::lock_guard lock(mutex_);
    if (const auto member = members_.find(viewer); member != members_.end()) {
        member->second.keyTaken = keyId;
        useNewKey(nowNs());
    }
}

void GroupHub::renewKey() {
    {
        const std::lock_guard lock(mutex_);
        changeKey();
    }
    work_.notify();
}

/// Makes a new key for those who remain. Viewers keep two keys, so while one is on its way no other follows.
void GroupHub::changeKey() {
    if (!options_.tagged) {
        return;
    }
    if (pending_.id == used_.id) {
        makeKey();
    } else {
        anotherKey_ |= keyDueAt_ != 0;  // the viewer that left may have been told it
    }
    useNewKey(nowNs());
}

void GroupHub::makeKey() {
    const auto next = static_cast<std::uint16_t>(pending_.id + 1);
    pending_ = {next == 0 ? std::uint16_t{1} : next, randomDatagramKey()};
    newestKey_ = pending_.id;
    keyDueAt_ = 0;
}

/// Uses the new key once all have it, or have had the time to take it.
void GroupHub::useNewKey(TimestampNs now) {
    while (pending_.id != used_.id) {
        const bool all = std::ranges::all_of(
            members_, [this](const auto& member) { return member.second.keyTaken == pending_.id; });
        if (!all && (keyDueAt_ == 0 || now < keyDueAt_)) {
            return;
        }
        used_ = pending_;
        keyDueAt_ = 0;
        seal_ = std::make_unique<DatagramSeal>(used_.key, options_.encrypted, DatagramSeal::Use::Seal);
        if (std::exchange(anotherKey_, false)) {
            makeKey();
        }
    }
}

}  // namespace verbcast
