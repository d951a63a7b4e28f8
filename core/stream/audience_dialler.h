// Connects to the one receiver of an audience, over one rail or several.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/owned_thread.h"
#include "core/session/greeting/handshake.h"
#include "core/session/messages/rail_hello.h"
#include "core/stream/audience.h"
#include "core/transport/url.h"

namespace verbcast {

struct AudienceDiallerOptions {
    std::vector<Url> urls;    ///< of one viewer: its rails, if there are several
    bool findsRails = false;  ///< with one of them: also over those that findRails() finds
    RailMode mode = RailMode::Double;
    HandshakeOptions handshake{};
    bool reconnect = true;  ///< again after each loss
};

/// Dials on a thread for each rail.
class AudienceDialler final : public Admission {
  public:
    /// Throws what checkRails() and checkRailsOf() throw.
    AudienceDialler(const AudienceDiallerOptions& options, Audience& audience);
    ~AudienceDialler() override;

    std::vector<std::string> addresses() const override { return {}; }
    void close() override;
    /// A rail without its device does not end a stream that goes on, or may begin, over another: rethrows
    /// what keeps the first from being tried only if none of them can be.
    void rethrowFailure() const override;

  private:
    class Route;
    void dial(const std::vector<Url>& urls);

    const AudienceDiallerOptions options_;
    Audience& audience_;
    Event cancel_;
    mutable std::mutex mutex_;  // guards the members below
    bool closed_ = false;
    std::vector<std::unique_ptr<Route>> routes_;
    std::optional<OwnedThread> search_;  // last: it uses everything above
};

}  // namespace verbcast
