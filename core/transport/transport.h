// Connections and where they come from: the seam that every transport implements.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/deadline.h"
#include "core/base/event.h"
#include "core/transport/frame_path.h"
#include "core/transport/message_channel.h"
#include "core/transport/url.h"

namespace verbcast {

/// A connected peer. Shared: one object may be both, and a path may serve several channels.
struct Connection {
    std::shared_ptr<MessageChannel> messages;  ///< null: no connection
    std::shared_ptr<FramePath> frames;         ///< null: messages only

    explicit operator bool() const { return messages != nullptr; }
};

/// Waits for peers at one address. Thread-bound; the connections that it gives may move to a thread of their
/// own.
class Listener {
  public:
    virtual ~Listener() = default;
    /// The address as a peer would write it, with the port that was really bound.
    virtual std::string address() const = 0;
    /// Readable when accept() has something to do; also when an unfinished caller is to be dropped.
    virtual int waitDescriptor() const = 0;
    /// A connected peer, or none when none is complete. Callers that fail on the way are logged and dropped,
    /// and cost bounded memory and descriptors. Does not block. Throws Error{Resource} when this process is
    /// short of something (descriptors): pause and try again. Throws Error{Device} when the device is gone:
    /// this listener will give no more.
    virtual Connection accept() = 0;
};

/// Choices that are the user's; each transport takes what concerns it.
struct TransportOptions {
    /// The caller only sends frames: an RDMA device then registers a pool once for all peers. Without it each
    /// peer gets a protection domain, and so registrations, of its own.
    bool sendsFrames = false;
};

/// Whether a transport can be used on this machine.
struct TransportAvailability {
    bool available = false;
    std::string reason;  ///< "2 devices: mlx5_0, mlx5_1" or "no RDMA device" or "compiled without rdma-core"
};

}  // namespace verbcast
