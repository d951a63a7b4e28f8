// Keys of a group's datagrams: a viewer that leaves does not know the next one, and those that stay have it
// before it is used.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "core/base/os/clock.h"
#include "core/multicast/group_messages.h"
#include "core/session/trust/datagram_seal.h"

namespace verbcast {

/// Pure: time is passed in. Not thread-safe, except newest().
class GroupKeys {
  public:
    /// Not `tagged`: datagrams have no keys, and nothing here does anything.
    GroupKeys(bool tagged, bool encrypted);

    /// The newest key, to tell a viewer. It is used once all viewers have taken it, or a second after the
    /// first was told.
    GroupKeyMessage tell(TimestampNs now);
    std::uint16_t newest() const { return newest_; }
    void join(std::uint64_t viewer) { taken_[viewer] = 0; }
    void take(std::uint64_t viewer, std::uint16_t keyId, TimestampNs now);
    void leave(std::uint64_t viewer, TimestampNs now);
    /// Makes a new key for those who remain.
    void renew(TimestampNs now);
    /// Uses the newest key if that is due.
    void use(TimestampNs now);
    /// When use() has something to do at the latest; 0: not known.
    TimestampNs dueAt() const { return dueAt_; }

    std::uint16_t used() const { return used_.id; }
    /// For the key that is used; null without keys.
    DatagramSeal* seal() const { return seal_.get(); }

  private:
    struct Key {
        std::uint16_t id = 0;
        DatagramKey key{};
    };
    void make();

    const bool tagged_, encrypted_;
    std::atomic<std::uint16_t> newest_{0};
    std::map<std::uint64_t, std::uint16_t> taken_;  // by viewer
    Key used_, pending_;
    TimestampNs dueAt_ = 0;  // when pending_ is used at the latest; 0: nobody was told it yet
    bool another_ = false;   // must follow pending_
    std::unique_ptr<DatagramSeal> seal_;
};

}  // namespace verbcast
