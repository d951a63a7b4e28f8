// Frames of lossless streams that receivers may have missed when their connections were lost.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/flow/queued_frame.h"
#include "core/stream/send/viewer_list.h"

namespace verbcast {

/// Keeps them until their receiver is back, or somebody else comes. Guarded by its owner's mutex.
class Backlogs {
  public:
    /// `lost` counts frames that were never delivered; must outlive this object.
    explicit Backlogs(std::atomic<std::uint64_t>& lost) : lost_(lost) {}

    void keep(std::uint64_t instance, std::shared_ptr<ViewerAccount> account,
              std::vector<QueuedFrame> frames);
    /// What that receiver has missed, or an earlier one that took nothing at all. Keeps them until somebody
    /// has them for certain.
    std::vector<QueuedFrame> missedBy(std::uint64_t instance) const;
    /// That receiver is served now: it has what was kept for it, and what is kept for others is given up.
    void servedNow(std::uint64_t instance);
    /// Call when nobody will come back.
    void giveUp();
    /// Counts frames as lost, and names them in the log.
    void countLost(const std::vector<QueuedFrame>& frames, ViewerAccount& account);

  private:
    struct Backlog {
        std::uint64_t instance;
        std::shared_ptr<ViewerAccount> account;
        std::vector<QueuedFrame> frames;

        bool isFor(std::uint64_t whom) const;
    };

    std::atomic<std::uint64_t>& lost_;
    std::vector<Backlog> backlogs_;
};

}  // namespace verbcast
