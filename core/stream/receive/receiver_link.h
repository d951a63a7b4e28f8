// The receiving side of one connection: the wanted tracks, arriving frames, and input that goes back.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/session/link.h"
#include "core/session/link_feature.h"
#include "core/session/message_path.h"
#include "core/session/outbox.h"
#include "core/stream/receive/gathering.h"
#include "core/stream/receive/receiver_track.h"

namespace verbcast {

class ReceiverLink final : public Link {
  public:
    /// `lane`: its place among the stream's connections.
    ReceiverLink(PeerConnection connection, const LinkOptions& options, ReceiverShared& shared,
                 Gathering& gathering, std::uint8_t lane = 0);
    ~ReceiverLink() override;

    /// Call before run(). Null: nothing.
    void plugIn(std::unique_ptr<SinkFeature> feature);

    // From any thread:
    bool streaming() const { return streaming_; }
    bool inputAllowed() const { return (peer().features & kTakesInput) != 0; }
    bool hasSound() const { return (peer().features & kHasSound) != 0; }
    /// Queues an event whose sequence is higher than those before. Returns false if hundreds wait already.
    bool sendInput(const InputMessage& message) { return input_.put(message); }
    /// The format last announced for the track, or null.
    std::shared_ptr<const VideoFormat> format(TrackId id) const {
        const ReceiverTrack* const track = wanted(id);
        return track != nullptr ? track->newestFormat() : nullptr;
    }
    /// Whether nobody consumes what it brings but that track's consumer, who may serve it then.
    bool bringsOnly(TrackId track) const {
        return tracks_.size() == 1 ? wanted(track) != nullptr : begun_ == 1U << track;
    }

    /// Call after run(): gives back to a sender that shares memory what is not being looked at.
    void letGo();
    /// Call after that, before the next connection uses the rings: the peer can no longer write into them.
    /// What giveRingsBack() says applies here, too.
    void hangUp();
    /// Hangs up and gives up the rings, except for frames that the consumer holds. Only what is for any
    /// thread may be called afterwards.
    void giveRingsBack();

    // For its tracks:
    bool sharesMemory() { return path().sharesMemory(); }
    /// Its frames come to several receivers at once.
    bool reachesMany() { return path().reachesMany(); }
    std::uint32_t slots() const { return shared_.slots; }
    /// Frames of that track follow.
    void begins(TrackId track);
    RingMemory& ringMemory() { return shared_.ringMemory; }
    RingMemory::Owner ringOwner(TrackId track) const { return lane_ * kMaxTracks + track; }
    const Arrivals& arrivals() const { return *arrivals_; }
    RingId nextRing() { return ++lastRing_; }

  private:
    void onReady() override;
    bool onSessionMessage(MessageType type, ByteReader& reader) override;
    bool moveOn() override;
    void armExtra() override;
    void disarmExtra() override;
    void addExtraDescriptors(std::vector<int>& descriptors) const override;
    void onTick(TimestampNs now) override;
    void onStopping() override { sendReport(); }
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override;
    void onOfferRefused(RingId ring, const std::string& reason) override {
        ownerOf(ring, path()).onOfferRefused(reason);
    }
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
        return ownerOf(ring, path()).ledger().begin(ring, slot, info);
    }
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
        arrive(ownerOf(ring, path()), ring, slot, info);
    }
    void onFrameLost(RingId ring, const FrameInfo& info) override {
        ownerOf(ring, path()).onFrameLost(ring, info);
    }

    /// Hears of frames that come as messages. Their rings are ours, whoever numbers those of the other path.
    class MessageFrames final : public FrameHandler {
      public:
        explicit MessageFrames(ReceiverLink& link) : link_(link) {}
        void onOfferReady(RingId ring, std::span<const std::byte> offer) override {
            ownerOf(ring).onOfferReady(ring, offer);  // within the call
        }
        FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
            return ownerOf(ring).ledger().begin(ring, slot, info);
        }
        void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
            link_.arrive(ownerOf(ring), ring, slot, info);
        }
        void onFrameSent(std::uint32_t /*localSlot*/) override {}

      private:
        ReceiverTrack& ownerOf(RingId ring) const { return link_.ownerOf(ring, link_.messagePath_); }

        ReceiverLink& link_;
    };

    ReceiverTrack* wanted(TrackId id) const;
    ReceiverTrack* findOwner(RingId ring, const FramePath& path) const;
    ReceiverTrack& ownerOf(RingId ring, const FramePath& path) const;
    void arrive(ReceiverTrack& track, RingId ring, std::uint32_t slot, const FrameInfo& info);
    bool finishStream();
    void sendReport();

    ReceiverShared& shared_;
    const std::uint8_t lane_;
    const std::unique_ptr<Arrivals> arrivals_;
    std::vector<SinkFeature*> features_;  // owned by Link
    MessagePath messagePath_;
    MessageFrames messageFrames_;
    std::vector<std::unique_ptr<ReceiverTrack>> tracks_;  // those that are wanted
    std::atomic<std::uint32_t> begun_{0};                 // a bit for each that has a format
    RingId lastRing_ = 0;
    std::atomic<bool> streaming_{false};
    PathAccount account_;
    Outbox input_;
    bool lastEnd_ = false;  // the last of all tracks' ends was announced
    std::string endReason_;
    TimestampNs consumedAt_ = 0;
    TimestampNs reportedAt_ = 0;
};

}  // namespace verbcast
