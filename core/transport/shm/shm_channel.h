// Messages between two processes of one machine, as records in a pair of rings that both map. Frames travel
// the same way (shm_path.h): a frame is one small record that names a slot.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/base/os/clock.h"
#include "core/transport/epoll_set.h"
#include "core/transport/message_channel.h"
#include "core/transport/shared_ring.h"
#include "core/transport/shm/shm_path.h"
#include "core/transport/shm/shm_ring.h"
#include "core/transport/shm/shm_socket.h"

namespace verbcast::shm {

/// Each record in a ring begins with its kind.
enum class RecordKind : std::uint32_t { Message = 1, Frame = 2 };

class ShmChannel final : public TransportChannel, public SharedRing {
  public:
    /// `socket` is connected and non-blocking. Throws Error{Resource} when memory or descriptors are short.
    ShmChannel(UniqueFd socket, const std::string& name);
    ~ShmChannel() override;

    ShmPath& path() { return path_; }

    const ConnectionDescription& description() const override { return description_; }
    void setHandler(MessageHandler* handler) override { handler_ = handler; }
    int waitDescriptor() const override { return watch_.descriptor(); }
    Progress process() override;
    bool readyToSleep() override;
    std::uint64_t bytesReceived() const override { return bytesReceived_; }
    Status send(std::span<const std::byte> message) override;
    bool hasRoomToSpare() const override;
    void expect(TimestampNs due) override { outgoing_.expect(due); }
    TimestampNs frameDue() const override { return incoming_.frameDue(); }
    void close() override;
    const std::string& closeReason() const override { return closeReason_; }
    SharedRing* sharedRing() override { return this; }

    Progress processWhileAsleep() override;
    bool readyToSleepUntilEnd() override;
    bool readyToWait() override;
    void wait(std::chrono::nanoseconds timeout) override { incoming_.wait(timeout); }
    void rouse() override { incoming_.rouse(); }
    void descriptorWoke() override { descriptorWoke_ = true; }

    // For the path:
    /// Sends a record of this kind, with `head` and `tail` as its body; queued if there is no room now. Busy
    /// when too many are queued.
    Status sendRecord(RecordKind kind, std::span<const std::byte> head, std::span<const std::byte> tail);
    /// Passes the memory of a ring of frames, ahead of all later records; see ShmSocket::pass().
    void passMemory(std::uint32_t ring, std::shared_ptr<const Memory> memory, UniqueFd descriptor,
                    std::vector<UniqueFd> deathSockets);
    PassedMemory takeMemory(std::uint32_t ring) { return socket_.takeMemory(ring); }
    bool peerIsSameUser() const { return socket_.peerIsSameUser(); }

  private:
    struct Queued {
        RecordKind kind;
        std::vector<std::byte> body;
    };

    Progress processRecords();
    void readSocket();
    bool prepareSleep();
    bool writeRecord(RecordKind kind, std::span<const std::byte> head, std::span<const std::byte> tail);
    bool flushQueue();
    bool readRecord();
    void handleRecord(std::span<const std::byte> record);
    void fail(const std::string& reason);

    ConnectionDescription description_;
    MessageHandler* handler_ = nullptr;
    ShmPath path_;
    ShmSocket socket_;
    SocketWatch watch_;
    RingProducer outgoing_;
    RingConsumer incoming_;
    bool armed_ = false;           // the owner announced a sleep, of either kind
    bool slept_ = false;           // it slept on the socket: there may be a doorbell
    bool descriptorWoke_ = false;  // there may be one, seen by a thread other than the owner
    TimestampNs socketSeenAt_ = 0;
    int busyTurns_ = 0;  // since then
    std::string closeReason_;
    std::uint64_t bytesReceived_ = 0;
    std::uint64_t lastWords_ = 0;  // bytes of records read since the peer has gone
    std::deque<Queued> queue_;     // records waiting because the ring is full
};

}  // namespace verbcast::shm
