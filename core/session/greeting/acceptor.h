// Listening on every transport that an address allows.
#pragma once

#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/transport/registry.h"

namespace verbcast {

/// A plain host:port listens on tcp, on shm under a name made from the port, and by RDMA where there is a
/// device. Thread-bound.
///
/// Listening outlives what goes wrong on the way: short of descriptors it pauses and resumes; a listener
/// whose device is gone is opened again when that works, and the others do not notice.
class Acceptor {
  public:
    /// Throws Error{Usage, Network, Device} when the address cannot be used. Of a plain host:port only the
    /// fallback must work.
    Acceptor(const Url& url, const TransportOptions& options);

    const std::vector<std::string>& addresses() const { return addresses_; }
    /// Readable when accept() has something to do. Also look again at nextLook().
    int waitDescriptor() const { return epoll_.get(); }
    Deadline nextLook() const;

    /// A connected peer, or none. Does not block and does not throw for what callers do.
    Connection accept();
    /// Why a connection has its transport.
    std::string reason() const { return listeners_.size() > 1 ? "chosen by the peer" : "as asked for"; }

  private:
    struct Listening {
        const Transport* transport;
        Url url;                             // with the port that was bound
        std::unique_ptr<Listener> listener;  // null: its device is gone
        bool watched = false;
        TimestampNs resumeAt = 0;
    };
    void add(const Transport& transport, const Url& url);
    void addAutomatic(const Url& url);
    void watch(Listening& one, bool on);
    void pause(Listening& one, const std::string& why);
    void resume();

    TransportOptions options_;
    UniqueFd epoll_;
    std::vector<Listening> listeners_;
    std::vector<std::string> addresses_;
};

}  // namespace verbcast
