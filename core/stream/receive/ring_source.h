// Where the frames of a track come to lie.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/stream/receive/receiver_shared.h"
#include "core/transport/frame_path.h"

namespace verbcast {

/// Of one track over one connection: here, in main memory. Used by the thread that serves the link.
class RingSource {
  public:
    /// `owner`: of its rings. `record`: the track's. All must outlive this.
    RingSource(ReceiverShared& shared, RingMemory::Owner owner, FramePath& path, TrackRecord& record)
        : shared_(shared), owner_(owner), path_(path), record_(record) {}
    virtual ~RingSource() = default;

    /// The ring that the sender is to write into; the one before, if it fits. Throws Error{Resource, Device}.
    const std::shared_ptr<FramePool>& provide(std::uint64_t slotBytes);
    /// The sender's frames cannot reach that ring, for this reason: provide() makes another one.
    virtual void refused(const std::string& reason) { throw Error(ErrorKind::Resource, reason); }

    /// For a ring in the sender's memory: call before it is mapped, and after. Throws Error{Resource}.
    void allow(const RingShape& shape);
    void mapped(const std::shared_ptr<FramePool>& ring, const RingShape& shape);

  protected:
    virtual bool suits(const FramePool& ring) const { return ring.memory()->device() == nullptr; }
    virtual std::shared_ptr<FramePool> make(std::uint64_t slotBytes);
    /// Frames will come into that ring, ours or the sender's.
    virtual void inUse(const FramePool& /*ring*/, bool /*sendersOwn*/) {}

  private:
    ReceiverShared& shared_;
    const RingMemory::Owner owner_;
    FramePath& path_;
    TrackRecord& record_;
};

}  // namespace verbcast
