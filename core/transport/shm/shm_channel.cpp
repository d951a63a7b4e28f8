// Per message or frame: one record in a shared-memory ring, and one futex wake-up if the other side sleeps
// (or a doorbell, one send of 8 bytes). Copies of pixels: none.
#include "core/transport/shm/shm_channel.h"

#include <fmt/format.h>

#include <cstring>
#include <exception>

#include "core/transport/socket_owner.h"

namespace verbcast::shm {
namespace {

constexpr std::size_t kMaxQueued = 256;
// How often a spinning thread checks the socket, to notice that the peer is gone.
constexpr TimestampNs kSocketInterval = 1'000'000;
// And after how many records a thread checks it that always finds something in the ring.
constexpr int kMaxBusyTurns = 256;
// The ring may still hold the last messages of a peer that is gone, but no more than fit into it.
constexpr std::uint64_t kMaxLastWords = kRingBytes;

}  // namespace

ShmChannel::ShmChannel(UniqueFd socket, const std::string& name)
    : path_(*this), socket_(std::move(socket)), watch_(socket_.descriptor()) {
    description_.transport = "shm";
    description_.local = "shm://" + name;
    const auto process = processAt(socket_.descriptor());
    description_.peer = process ? fmt::format("process {}", process->pid) : "a process of this machine";
    description_.place = PeerPlace::ThisUser;
    description_.detail = "shared memory, 0 copies";
}

ShmChannel::~ShmChannel() {
    socket_.hangUp();
}

Progress ShmChannel::process() {
    if (armed_) {
        armed_ = false;
        incoming_.wakeUp();
    }
    // Records are handled before the doorbell that announced them: the frame waits for no system call.
    const Progress progress = processRecords();
    if (progress == Progress::Closed || (progress == Progress::Worked && ++busyTurns_ < kMaxBusyTurns)) {
        return progress;
    }
    const TimestampNs now = nowNs();
    if (progress == Progress::Idle && !slept_ && !descriptorWoke_ && now - socketSeenAt_ <= kSocketInterval) {
        return Progress::Idle;
    }
    slept_ = false;
    socketSeenAt_ = now;
    busyTurns_ = 0;
    readSocket();
    return processRecords();
}

Progress ShmChannel::processWhileAsleep() {
    const Progress progress = processRecords();
    if (progress == Progress::Closed || !descriptorWoke_) {
        return progress;
    }
    readSocket();
    const Progress more = processRecords();
    return more == Progress::Idle ? progress : more;
}

Progress ShmChannel::processRecords() {
    bool worked = false;
    if (closeReason_.empty()) {
        worked |= flushQueue();
        worked |= readRecord();  // exceptions are for the owner to answer, before it hangs up
    }
    if (!socket_.peerGone().empty() && (!worked || lastWords_ > kMaxLastWords)) {
        fail(socket_.peerGone());
    }
    if (!closeReason_.empty()) {
        return Progress::Closed;
    }
    return worked ? Progress::Worked : Progress::Idle;
}

void ShmChannel::readSocket() {
    descriptorWoke_ = false;
    if (!closeReason_.empty()) {
        return;
    }
    socket_.hear();
    if (auto ring = socket_.takeRing()) {
        incoming_.attach(RingMemory::map(std::move(*ring)));
    }
}

bool ShmChannel::readyToSleep() {
    slept_ = true;
    return prepareSleep() && incoming_.sleep(Sleep::OnSocket);
}

bool ShmChannel::readyToSleepUntilEnd() {
    slept_ = true;
    return prepareSleep();
}

bool ShmChannel::readyToWait() {
    return incoming_ && prepareSleep() && incoming_.sleep(Sleep::OnRing);
}

bool ShmChannel::prepareSleep() {
    if (!socket_.peerGone().empty() || !closeReason_.empty()) {
        return false;
    }
    armed_ = true;
    watch_.wantRoom(!socket_.allSent() && !queue_.empty());
    return queue_.empty() || !socket_.allSent() || outgoing_.waitForRoom();
}

bool ShmChannel::writeRecord(RecordKind kind, std::span<const std::byte> head,
                             std::span<const std::byte> tail) {
    const std::array<std::span<const std::byte>, 3> parts{std::as_bytes(std::span(&kind, 1)), head, tail};
    if (!outgoing_.write(parts)) {
        return false;
    }
    if (outgoing_.wakeConsumer()) {
        socket_.ringDoorbell();
    }
    return true;
}

Status ShmChannel::sendRecord(RecordKind kind, std::span<const std::byte> head,
                              std::span<const std::byte> tail) {
    if (!closeReason_.empty()) {
        return Status::Closed;
    }
    if (queue_.empty() && socket_.flush(outgoing_.descriptor()) && writeRecord(kind, head, tail)) {
        return Status::Ok;
    }
    if (queue_.size() >= kMaxQueued) {
        return Status::Busy;
    }
    Queued& queued = queue_.emplace_back(Queued{kind, {head.begin(), head.end()}});
    queued.body.insert(queued.body.end(), tail.begin(), tail.end());
    return Status::Ok;
}

bool ShmChannel::flushQueue() {
    bool worked = false;
    while (!queue_.empty() && socket_.flush(outgoing_.descriptor()) &&
           writeRecord(queue_.front().kind, queue_.front().body, {})) {
        queue_.pop_front();
        worked = true;
    }
    return worked;
}

Status ShmChannel::send(std::span<const std::byte> message) {
    if (message.empty() || message.size() > kMaxMessageBytes) {
        throw Error(ErrorKind::Internal, fmt::format("a message of {} bytes", message.size()));
    }
    return sendRecord(RecordKind::Message, message, {});
}

bool ShmChannel::hasRoomToSpare() const {
    return queue_.size() < kMaxQueued / 2;
}

void ShmChannel::passMemory(std::uint32_t ring, std::shared_ptr<const Memory> memory, UniqueFd descriptor,
                            std::vector<UniqueFd> deathSockets) {
    if (!closeReason_.empty()) {
        return;
    }
    if (!socket_.pass(ring, std::move(memory), std::move(descriptor), std::move(deathSockets))) {
        fail("the peer does not read any more");
        return;
    }
    socket_.flush(outgoing_.descriptor());
}

bool ShmChannel::readRecord() {
    alignas(std::uint64_t) std::array<std::byte, kMaxMessageBytes + sizeof(RecordKind)> buffer;
    const auto record = incoming_.read(buffer);
    if (record.empty()) {
        return false;
    }
    if (incoming_.takeProducerWaits()) {
        socket_.ringDoorbell();
    }
    bytesReceived_ += record.size();
    lastWords_ += socket_.peerGone().empty() ? 0 : record.size();
    handleRecord(record);
    return true;
}

void ShmChannel::handleRecord(std::span<const std::byte> record) {
    RecordKind kind{};
    if (record.size() > sizeof kind) {
        std::memcpy(&kind, record.data(), sizeof kind);
        const auto body = record.subspan(sizeof kind);
        switch (kind) {
            case RecordKind::Message:
                handler_->onMessage(body);
                return;
            case RecordKind::Frame:
                path_.handleRecord(body);
                return;
        }
    }
    throw Error(ErrorKind::Peer, fmt::format("the peer sent a record of unknown kind {} with {} bytes",
                                             static_cast<std::uint32_t>(kind), record.size()));
}

void ShmChannel::close() {
    if (!closeReason_.empty()) {
        return;
    }
    std::exception_ptr failure;  // of the last words: it ends here all the same
    try {
        flushQueue();
    } catch (...) {
        failure = std::current_exception();
    }
    fail("closed here");
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void ShmChannel::fail(const std::string& reason) {
    if (closeReason_.empty()) {
        closeReason_ = reason;
        socket_.hangUp();
        incoming_.rouse();
    }
}

}  // namespace verbcast::shm
