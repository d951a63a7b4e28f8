// Listens on every transport that an address allows.
#pragma once

#include <string>
#include <vector>

#include "core/transport/registry.h"

namespace verbcast {

/// A plain host:port listens on tcp, on shm under a name derived from the port, and on RDMA if there is a
/// device. Thread-bound.
///
/// Listening survives failures: it pauses and resumes when descriptors run out; a listener whose device is
/// gone is reopened once that works, without disturbing the others.
class ListenerSet {
  public:
    /// Throws Error{Usage, Network, Device} if the address cannot be used. For a plain host:port only the
    /// fallback must work.
    ListenerSet(const Url& url, const TransportOptions& options);

    const std::vector<std::string>& addresses() const { return addresses_; }
    /// Appends those that are readable when accept() has something to do. Also look again at nextLook().
    void addDescriptors(std::vector<int>& descriptors) const;
    Deadline nextLook() const;

    /// Returns a connected peer, or an empty Connection. Does not block, and never throws because of a
    /// caller.
    Connection accept();
    /// Why a connection uses its transport.
    std::string reason() const { return listeners_.size() > 1 ? "chosen by the peer" : "as asked for"; }

  private:
    struct Listening {
        const Transport* transport;
        Url url;                             // with the port that was bound
        std::unique_ptr<Listener> listener;  // null: its device is gone
        TimestampNs resumeAt = 0;            // it pauses until then; 0: it does not
    };
    void add(const Transport& transport, const Url& url);
    void addAutomatic(const Url& url);
    void reopen(Listening& one);
    void pause(Listening& one, const std::exception& why);

    TransportOptions options_;
    std::vector<Listening> listeners_;
    std::vector<std::string> addresses_;
};

}  // namespace verbcast
