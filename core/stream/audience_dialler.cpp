#include "core/stream/audience_dialler.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/multirail/rail_search.h"
#include "core/session/greeting/session_dialler.h"

namespace verbcast {

/// One way to the receiver: its only address, or a rail.
class AudienceDialler::Route final : private DiallerPolicy {
  public:
    Route(const Url& url, const HandshakeOptions& handshake, bool reconnect, Audience& audience)
        : audience_(audience),
          reconnect_(reconnect),
          rail_(handshake.rail),
          dialler_(url, TransportOptions{.sendsFrames = true}, handshake),
          thread_([this] { dialler_.run(*this, cancel_); },
                  [this] { audience_.shared().progress.notify(); }) {}
    ~Route() override { cancel_.notify(); }

    void close() { closed_ = true; }
    void rethrowFailure() const { thread_.rethrowFailure(); }
    /// Why this rail cannot be tried now; null if it can, or is none.
    std::exception_ptr trouble() const {
        const std::lock_guard lock(mutex_);
        return trouble_;
    }

  private:
    bool serve(PeerConnection peer) override {
        noteTrouble(nullptr);
        if (peer.hello.role == Role::Receiver && rail_) {
            serveRail(std::move(peer), *rail_);
        } else {
            audience_.add(std::move(peer));
            while (!cancel_.isSet() && audience_.count() > 0) {
                waitReadable({cancel_.descriptor(), audience_.ended().descriptor()}, Deadline::never());
                audience_.removeEnded();
            }
        }
        const Audience::Past past = audience_.past();
        if (past.failure) {
            std::rethrow_exception(past.failure);
        }
        return again(past.lastEnd);
    }

    bool refused(const SessionEnd& end) override {
        noteTrouble(nullptr);
        if (!othersGoOn()) {
            audience_.noteEnd(end);
        }
        return again(end);
    }

    bool failed(const std::exception& failure) override {
        if (!rail_) {
            throw;
        }
        noteTrouble(std::current_exception());
        warnOfPeer(LogCategory::Stream, "rail not reached", "", "rail {}: {}; trying again", rail_->index + 1,
                   failure.what());
        return !closed_;
    }

    /// Serves that rail until it has ended.
    void serveRail(PeerConnection peer, const RailHello& rail) {
        const std::string address = peer.connection.messages->description().peer;
        peer.hello = peer.hello.asRail(rail);
        std::shared_ptr<const Event> ended;
        try {
            ended = audience_.add(std::move(peer));
        } catch (const Error& error) {
            warnOfPeer(LogCategory::Stream, "rail not used", address, "{}: {}", address, error.what());
            return;
        }
        while (!cancel_.isSet() && !ended->isSet()) {
            waitReadable({cancel_.descriptor(), ended->descriptor()}, Deadline::never());
        }
        audience_.removeEnded();
    }

    bool othersGoOn() const { return rail_ && audience_.serves(Hello{}.asRail(*rail_)); }

    bool again(const SessionEnd& end) const {
        if (!othersGoOn()) {  // else whatever it was: another rail serves, and this one is tried again
            if (end.isPermanent()) {
                std::rethrow_exception(end.error());
            }
            if (!reconnect_) {
                return false;
            }
        }
        return !closed_;
    }

    void noteTrouble(std::exception_ptr trouble) {
        {
            const std::lock_guard lock(mutex_);
            std::swap(trouble_, trouble);
        }
        audience_.shared().progress.notify();
    }

    Audience& audience_;
    const bool reconnect_;
    const std::optional<RailHello> rail_;
    Event cancel_;
    std::atomic<bool> closed_{false};
    mutable std::mutex mutex_;  // guards trouble_
    std::exception_ptr trouble_;
    SessionDialler dialler_;
    OwnedThread thread_;  // last: it uses everything above
};

AudienceDialler::AudienceDialler(const AudienceDiallerOptions& options, Audience& audience)
    : options_(options), audience_(audience) {
    if (options.urls.size() > 1) {
        checkRails(options.urls, false);
    }
    if (options.findsRails) {
        checkRailsOf(options.urls.front(), false);
        search_.emplace([this] { dial(findRails(options_.urls.front(), options_.handshake, cancel_)); },
                        [this] { audience_.shared().progress.notify(); });
    } else {
        dial(options.urls);
    }
}

AudienceDialler::~AudienceDialler() {
    cancel_.notify();
}

void AudienceDialler::dial(const std::vector<Url>& urls) {
    const auto handshakes = urls.size() > 1 ? railHandshakes(options_.handshake, urls.size(), options_.mode)
                                            : std::vector{options_.handshake};
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < urls.size() && !closed_; ++i) {
        routes_.push_back(std::make_unique<Route>(urls[i], handshakes[i], options_.reconnect, audience_));
    }
}

void AudienceDialler::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    std::ranges::for_each(routes_, &Route::close);
}

void AudienceDialler::rethrowFailure() const {
    if (search_) {
        search_->rethrowFailure();
    }
    const std::lock_guard lock(mutex_);
    std::ranges::for_each(routes_, &Route::rethrowFailure);
    const std::exception_ptr first = routes_.empty() ? nullptr : routes_.front()->trouble();
    if (first &&
        std::ranges::all_of(routes_, [](const auto& route) { return route->trouble() != nullptr; })) {
        std::rethrow_exception(first);
    }
}

}  // namespace verbcast
