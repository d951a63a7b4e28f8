// One receiver of a broadcast, and its connections.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/session/link_runner.h"
#include "core/stream/send/input_turns.h"
#include "core/stream/send/sender_link.h"

namespace verbcast {

/// What a broadcast delivers to: here, over one connection. Its links use it until they are gone, so it
/// outlives them; the rest is guarded by its audience's lock, and called by the submitting thread unless it
/// says otherwise.
class Viewer {
  public:
    using Runner = LinkRunner<SenderLink>;

    /// `id`: of its first link. `account`: shared with those that sum up what it was sent over all of its
    /// connections.
    Viewer(SenderShared& shared, std::uint64_t id, bool yields, std::shared_ptr<ViewerAccount> account);
    virtual ~Viewer() = default;
    Viewer(const Viewer&) = delete;
    Viewer& operator=(const Viewer&) = delete;

    // From any thread, without the lock:
    std::uint64_t id() const { return id_; }
    /// It may miss frames of lossless tracks.
    bool yields() const { return yields_; }
    Policy policyOf(TrackId track) const {
        const Policy own = shared_.policies[track];
        return yields_ && !mayDrop(own) ? Policy::Latest : own;
    }
    SenderShared& shared() const { return shared_; }
    ViewerAccount& account() const { return *account_; }
    const std::shared_ptr<ViewerAccount>& sharedAccount() const { return account_; }
    struct Room {
        std::uint32_t slots;    ///< of the source's ring
        std::uint32_t waiting;  ///< frames of a live track that wait for a link, at most
    };
    Room roomFor(TrackKind kind) const {
        return takesFramePath(kind) ? Room{shared_.slots, 2} : Room{kSoundSlots, kSoundSlots * 3 / 4};
    }
    FrameTally tally(TrackId track) const { return {*account_, shared_.frames[track], track}; }
    InputTurns& inputTurns() { return inputTurns_; }
    /// For a track of one of its links.
    virtual std::unique_ptr<TrackQueue> makeQueue(TrackId track, TrackKind kind, const SenderLink& link);

    /// Whether that peer's connection is one more of this viewer's,
    virtual bool takesLink(const Hello& /*peer*/) const { return false; }
    /// and if so, why it cannot come in; nullopt: it can.
    virtual std::optional<Refuse> objectionTo(const Hello& /*peer*/) const { return std::nullopt; }
    /// A link is about to begin. Throws Error{Peer} for one that does not fit the others. Returns what is to
    /// be told of it, if anything.
    virtual std::string linkBegins(const PeerConnection& /*peer*/) { return ""; }
    /// It has ended, or did not begin after all.
    virtual void linkEnded(const Hello& /*peer*/, bool /*lost*/) {}
    void run(std::unique_ptr<SenderLink> link, std::function<void(Runner&)> onEnd);

    /// Whether it has a connection.
    bool alive() const;
    bool aliveWithout(const Runner& ended) const;
    /// The first of its links that are there; the viewer must be alive.
    const SenderLink& link() const;
    template <typename Visit>
    void eachLink(Visit&& visit) const {
        for (const auto& runner : runners_) {
            if (!runner->ended()) {
                visit(runner->link());
            }
        }
    }
    /// All that have not been taken away by removeFinished().
    const std::vector<std::unique_ptr<Runner>>& runners() const { return runners_; }
    /// Moves links that are finished to `finished`: they are joined and destroyed outside the lock.
    void removeFinished(std::vector<std::unique_ptr<Runner>>& finished);
    /// The same for all of them: their threads use the viewer, which must not be destroyed before they end.
    void removeAll(std::vector<std::unique_ptr<Runner>>& removed) {
        std::ranges::move(std::exchange(runners_, {}), std::back_inserter(removed));
    }
    bool empty() const { return runners_.empty(); }

    /// Whether it may miss a frame while a connection registers the memory that the frame lies in.
    virtual bool mayMissFrames(TrackId track) const { return mayDrop(policyOf(track)); }
    /// Slots of the source's ring that it keeps frames in beside those that it is being sent.
    virtual std::uint32_t keptSlots() const { return 0; }
    /// The frame or its copy in memory of our own; null if it can be sent neither now.
    const QueuedFrame* suitedOf(const QueuedFrame& frame, const std::optional<QueuedFrame>& copied) const;
    /// Gives it a frame that all of its links can send. There is room: only this thread fills the queues. One
    /// that came back just now may have more to catch up on, and takes this, too.
    virtual void push(const QueuedFrame& frame) {
        eachLink([&](SenderLink& link) { link.push(frame.share()); });
    }
    /// The frame is not to be sent: what changed in it is sent with the next one.
    void turnDown(const QueuedFrame& frame);
    bool canPush(TrackId track) const;
    void finish(const std::string& reason) {
        eachLink([&](SenderLink& link) { link.finish(reason); });
    }
    /// Ends all of its links: it took nothing for too long.
    void evict(const std::string& reason) {
        eachLink([&](SenderLink& link) { link.evict(reason); });
    }

    /// Once a link has ended: returns the frames that the viewer may not have, in order, if it was the last.
    virtual std::vector<QueuedFrame> takeUnaccepted(SenderLink& ended, bool lost) {
        return ended.takeUnaccepted(lost);
    }
    /// "rail 2 of 2 to wall (10.0.2.2:7423 from 10.0.2.1:40122)", of viewers with several links.
    virtual std::string nameOf(const SenderLink& link) const { return link.peer().name.value; }
    virtual ReceiverStats stats(const SenderLink& link) const { return link.stats(); }

  private:
    SenderShared& shared_;
    const std::uint64_t id_;
    const bool yields_;
    const std::shared_ptr<ViewerAccount> account_;
    InputTurns inputTurns_;
    std::vector<std::unique_ptr<Runner>> runners_;  // last: their threads use everything above
};

}  // namespace verbcast
