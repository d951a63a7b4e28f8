#include "core/stream/rail_dialler.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/multirail/rail_search.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// A rail that ends sooner could not be used.
constexpr std::chrono::nanoseconds kRailLasts = 1s;
constexpr std::chrono::nanoseconds kFirstRailPause = 1s, kLongestRailPause = 10s;

}  // namespace

class RailDialler::Rail final : private DiallerPolicy {
  public:
    Rail(RailDialler& all, const Url& url, const HandshakeOptions& handshake)
        : all_(all),
          stream_(all.stream_),
          rail_(handshake.rail.value()),
          dialler_(url, TransportOptions{}, handshake),
          thread_([this] { run(); }) {}

  private:
    void run() {
        for (bool again = true; again && !all_.cancel_.isSet();) {
            try {
                dialler_.run(*this, all_.cancel_);
                again = false;
            } catch (const std::exception& failure) {
                again = failed(failure);
            }
        }
    }

    bool serve(PeerConnection peer) override {
        if (lasted(std::move(peer))) {
            pause_ = 0s;
        } else if (stream_.connected()) {  // over another rail
            pause_ = std::clamp(2 * pause_, kFirstRailPause, kLongestRailPause);
            waitReadable({all_.cancel_.descriptor()}, pause_);
        }
        return !stream_.over();
    }

    bool refused(const SessionEnd& end) override {
        if (stream_.connected()) {
            warnOfPeer(LogCategory::Stream, "rail refused", "", "rail {}: {}; trying again", rail_.index + 1,
                       end.reason);
            return !stream_.over();
        }
        return !stream_.over() && all_.unserved_.refused(end);  // else the others have ended it meanwhile
    }

    bool failed(const std::exception& failure) override {
        if (!stream_.connected() && all_.allFailed(rail_.index)) {
            stream_.fail(std::current_exception());
            all_.cancel_.notify();
            return false;
        }
        warnOfPeer(LogCategory::Stream, "rail not reached", "", "rail {}: {}; trying again", rail_.index + 1,
                   failure.what());
        return !stream_.over();
    }

    /// Serves the rail until it has ended. Returns false for one that ended at once, as where there is no
    /// memory for its ring.
    bool lasted(PeerConnection peer) {
        std::string back;
        try {
            peer.hello = peer.hello.asRail(rail_);
            back = stream_.attach(std::move(peer));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Peer) {
                throw;
            }
            warnOfPeer(LogCategory::Stream, "rail not used", "", "{}", error.what());
            return false;
        }
        all_.failed_ &= ~(1U << rail_.index);
        if (stream_.waitForEnd(rail_.index, Deadline::in(kRailLasts), all_.cancel_)) {
            return false;
        }
        tellRailBack(back);
        static_cast<void>(stream_.waitForEnd(rail_.index, Deadline::never(), all_.cancel_));
        return true;
    }

    RailDialler& all_;
    IncomingStream& stream_;
    const RailHello rail_;
    std::chrono::nanoseconds pause_{0};  // longer each time that the rail could not be used
    SessionDialler dialler_;
    std::jthread thread_;  // last: it uses everything above
};

RailDialler::RailDialler(const std::vector<Url>& urls, RailMode mode, const HandshakeOptions& handshake,
                         IncomingStream& stream, DiallerPolicy& unserved, Event& cancel)
    : stream_(stream), unserved_(unserved), cancel_(cancel), count_(urls.size()) {
    const auto handshakes = railHandshakes(handshake, urls.size(), mode);
    try {
        for (std::size_t i = 0; i < urls.size(); ++i) {
            rails_.push_back(std::make_unique<Rail>(*this, urls[i], handshakes[i]));
        }
    } catch (...) {
        cancel_.notify();  // for those that have started
        throw;
    }
}

RailDialler::~RailDialler() = default;

/// Whether this one has failed, and the others when they were tried last.
bool RailDialler::allFailed(std::uint8_t rail) {
    const std::uint32_t failed = failed_.fetch_or(1U << rail) | 1U << rail;
    return failed == (1U << count_) - 1;
}

void tellRailBack(const std::string& note) {
    if (!note.empty()) {
        warnOfPeer(LogCategory::Stream, "rail back", "", "{}", note);
    }
}

}  // namespace verbcast
