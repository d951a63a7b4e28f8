// Connections and where they come from: the interface that every transport implements.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/os/deadline.h"
#include "core/base/os/event.h"
#include "core/transport/frame_path.h"
#include "core/transport/message_channel.h"
#include "core/transport/url.h"

namespace verbcast {

/// A connected peer. Shared pointers: one object may be both, and a path may serve several channels.
struct Connection {
    std::shared_ptr<MessageChannel> messages;  ///< null: no connection
    std::shared_ptr<FramePath> frames;         ///< null: messages only

    explicit operator bool() const { return messages != nullptr; }
    /// Of both; null: nobody is told any more.
    void setHandlers(MessageHandler* ofMessages, FrameHandler* ofFrames) const {
        messages->setHandler(ofMessages);
        if (frames) {
            frames->setHandler(ofFrames);
        }
    }
};

/// Waits for peers at one address. Thread-bound; the connections that it returns may move to a thread of
/// their own.
class Listener {
  public:
    virtual ~Listener() = default;
    /// The address as a peer would write it, with the port actually bound.
    virtual std::string address() const = 0;
    /// Readable when accept() has something to do, including dropping an unfinished caller.
    virtual int waitDescriptor() const = 0;
    /// A connected peer, or none if none is complete. Callers that fail halfway are logged and dropped, and
    /// cost bounded memory and descriptors. Does not block. Throws Error{Resource} when this process is short
    /// of something (descriptors): pause and try again. Throws Error{Device} when the device is gone: this
    /// listener will return no more peers.
    virtual Connection accept() = 0;
};

/// The user's choices; each transport takes what concerns it.
struct TransportOptions {
    /// The caller only sends frames: an RDMA device then registers a pool once for all peers. Otherwise each
    /// peer gets its own protection domain, and so its own registrations.
    bool sendsFrames = false;
};

/// Whether a transport can be used on this machine.
struct TransportAvailability {
    bool available = false;
    std::string reason;  ///< "2 devices: mlx5_0, mlx5_1" or "no RDMA device" or "compiled without rdma-core"
};

}  // namespace verbcast
