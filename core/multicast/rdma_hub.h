// The hub for viewers by RDMA, beside that for viewers by UDP.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "core/multicast/group_hub.h"
#include "core/transport/rdma/background_tasks.h"

namespace verbcast {

/// Opens the hub, and opens it again once it has failed: a port that was down, a replaced device and a
/// restarted subnet manager all come back. Thread-safe, except for what keeps it.
class RdmaHub {
  public:
    /// `beside` is the pace of the hub by UDP, and must outlive this. Throws what `open` throws if the
    /// address says via=rdma; else, without a device, there is no hub.
    RdmaHub(const GroupOptions& options, const multicast::GroupInterface& interface, GroupHub::OpenRdma open,
            const GroupPace& beside);

    GroupHub::ByRdma offer() const;
    /// Includes those of earlier hubs.
    GroupStats stats() const;

    // By one thread:
    void keep(TimestampNs now);
    /// Readable when keep() has something to do.
    int descriptor() const { return reopening_.descriptor(); }

  private:
    std::shared_ptr<GroupHub> make() const;
    std::shared_ptr<GroupHub> hub() const;

    const GroupOptions options_;
    const multicast::GroupInterface interface_;
    const GroupHub::OpenRdma open_;
    const GroupPace& beside_;
    TimestampNs reopenedAt_ = 0;
    mutable std::mutex mutex_;       // guards hub_ and past_
    std::shared_ptr<GroupHub> hub_;  // shared with sessions; null: whyNot_
    GroupStats past_;                // of earlier hubs
    std::string whyNot_;
    BackgroundTasks reopening_;  // last: its destructor waits
};

}  // namespace verbcast
