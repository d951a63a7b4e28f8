// What sending, receiving and relaying share: finding the other ends, waiting for whatever happens first, and
// telling everybody when something went wrong.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/os/event.h"
#include "core/pipe/pipe_link.h"
#include "core/session/link_runner.h"
#include "core/session/trust/trust.h"

namespace verbcast {

struct PipeAddress {
    Url url;
    bool listen = false;
};

struct PipeSettings {
    std::uint64_t blockBytes = 1U << 20;
    std::uint32_t depth = 8;  ///< blocks in flight
    bool checksum = false;
    /// How long to wait for the other end; it may be started later. The largest value: forever.
    std::chrono::nanoseconds patience = std::chrono::nanoseconds::max();
    /// The other end counts as lost after this much silence. Longer than for video: a pipe that is stopped
    /// for a moment is expected to continue.
    std::chrono::milliseconds peerTimeout{10'000};
    Trust trust{};  ///< applies to all other ends
};

/// How an error text begins when the cause lies at the other end.
inline constexpr std::string_view kOtherEnd = "the other end";

struct PipeStatus {
    std::string text;                       ///< "waiting for a sender on tcp://...", "sending"
    std::vector<std::string> addresses;     ///< where it listens, with real ports
    bool flowing = false;                   ///< all ends are connected
    std::string transport;                  ///< of the latest connection; empty before the first
    std::string peer, address, reason;      ///< its other end: "render1", "10.0.0.1:7423", why that transport
    std::uint64_t bytes = 0;                ///< moved so far, excluding those that the receiver already had
    std::uint64_t start = 0;                ///< bytes that the receiver already had
    std::optional<std::uint64_t> length;    ///< of the whole stream, if known
    std::optional<std::uint64_t> checksum;  ///< of the whole stream, at the end
    std::uint64_t blockBytes = 0;           ///< as agreed; 0 before that
    std::uint32_t depth = 0;
    double seconds = 0;  ///< since the first block could move
};

/// Base of PipeSender, PipeReceiver and PipeRelay.
class PipeRun {
  public:
    virtual ~PipeRun();
    PipeRun(const PipeRun&) = delete;
    PipeRun& operator=(const PipeRun&) = delete;

    /// Moves the whole stream. Returns when the last receiver has written and flushed all of it; throws Error
    /// or PipeStopped after telling the other ends. Call once.
    void run();
    /// Makes run() throw PipeStopped; callable from any thread.
    void cancel();
    PipeStatus status() const;
    /// Set when status().text has changed; its single reader clears it.
    const Event& changed() const { return changed_; }

  protected:
    explicit PipeRun(const PipeSettings& settings);
    virtual void transfer() = 0;

    /// Waits until the other end has connected and introduced itself. This object keeps the link, an `End`
    /// made with `more`.
    template <typename End, typename... More>
    End& connect(const PipeAddress& address, const More&... more) {
        return static_cast<End&>(
            connectTo(address, End::kRole, [&](PeerConnection peer, const LinkOptions& options) {
                return std::make_unique<End>(std::move(peer), options, progress_, more...);
            }));
    }

    /// Sleeps until done() returns true once; `descriptor` (if not negative) triggers another check when
    /// readable. Returns false if that did not happen in time. Throws when a connection ended prematurely,
    /// and after cancel().
    template <typename Done>
    bool waitFor(Done&& done, int descriptor = -1, Deadline limit = Deadline::never()) {
        bool isDone = false;
        // done() may consume something, so it is not called again; ends are checked only if it was not done.
        static_cast<void>(verbcast::waitFor(progress_, [&] { return (isDone = done()) || anythingEnded(); },
                                            limit, &stop_, {descriptor}));
        if (!isDone) {
            throwIfOver();
        }
        return isDone;
    }
    void throwIfOver() const;
    void throwIfCancelled() const;
    /// After everything is delivered: waits until the final messages have passed, as long as the others live.
    /// Throws after cancel().
    void waitForGoodbyes();

    void beginFlow(const PipeAccept& agreed, std::optional<std::uint64_t> length, const std::string& verb);
    void countBytes(std::uint64_t bytes) { bytes_.fetch_add(bytes, std::memory_order_relaxed); }
    void endFlow(const PipeEnd& last);

    const PipeSettings settings_;
    PipeAccept agreed_;    // from beginFlow() on; of run()'s thread
    ArmedEvent progress_;  // notified by the links; run()'s thread waits

  private:
    using Runner = LinkRunner<PipeLink>;

    using MakeLink = std::function<std::unique_ptr<PipeLink>(PeerConnection, const LinkOptions&)>;

    class Acceptor;
    class Dialling;

    PipeLink& connectTo(const PipeAddress& address, Role role, const MakeLink& makeLink);
    PeerConnection nextCaller(Acceptor& acceptor, Role role, Deadline deadline);
    std::unique_ptr<Runner> introduce(PeerConnection peer, const MakeLink& makeLink);
    void abandon(const PipeFailure& failure) noexcept;
    /// `cancel` may be null.
    bool waitForEnds(Deadline deadline, const Event* cancel = nullptr);
    bool anythingEnded() const;
    [[noreturn]] void throwEnd(const Runner& runner) const;
    void setState(const std::string& text);

    Event stop_;  // set by cancel()
    std::atomic<bool> cancelled_{false};
    std::vector<std::unique_ptr<Acceptor>> acceptors_;
    std::vector<std::unique_ptr<Runner>> runners_;

    Event changed_;
    std::atomic<std::uint64_t> bytes_{0};
    std::atomic<TimestampNs> flowingSince_{0};
    std::atomic<TimestampNs> flowedUntil_{0};
    mutable std::mutex statusMutex_;
    PipeStatus status_;
};

}  // namespace verbcast
