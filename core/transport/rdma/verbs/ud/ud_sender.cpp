// One copy into the ring, then one call for a chain of up to 60 datagrams, of which only the last produces a
// completion. No allocation, no lock; a system call only in awaitRoom(). Cost:
// tests/core/multicast/multicast_rdma.py
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/transport/multicast/group_port.h"
#include "core/transport/rdma/registered_buffer.h"
#include "core/transport/rdma/ud_group.h"
#include "core/transport/rdma/verbs/ud/ud_queue.h"
#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {
namespace {

AddressHandle handleFor(UdQueue& queue, int ttl) {
    ibv_ah_attr to = queue.group().ah_attr;
    to.grh.hop_limit = static_cast<std::uint8_t>(std::clamp(ttl, 1, 255));
    return AddressHandle(checkPointer(ibv_create_ah(queue.domain().get(), &to), ErrorKind::Device,
                                      "ibv_create_ah", queue.describe()));
}

/// Sends from its own ring, into which datagrams are copied. Thread-bound.
class UdSender final : public multicast::GroupPort {
  public:
    UdSender(const multicast::GroupAddress& address, const multicast::GroupInterface& interface, int ttl)
        : queue_(address, interface, UdUse::Send),
          room_(queue_.completions().descriptor()),
          to_(handleFor(queue_, ttl)),
          ring_(queue_.domain(), std::size_t{queue_.depth()} * queue_.mtu(), MemoryUse::LocalRead),
          free_(queue_.depth()) {
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            entries_[i].lkey = static_cast<std::uint32_t>(ring_.registration().localHandle);
            requests_[i].sg_list = &entries_[i];
            requests_[i].num_sge = 1;
            requests_[i].opcode = IBV_WR_SEND;
            requests_[i].wr.ud.ah = to_.get();
            requests_[i].wr.ud.remote_qpn = queue_.group().qp_num;
            requests_[i].wr.ud.remote_qkey = queue_.group().qkey;
        }
    }
    ~UdSender() override { queue_.stop(); }

    std::array<std::byte, 16> group() const override { return queue_.groupId(); }
    std::string describe() const override { return "RDMA, " + queue_.describe(); }
    multicast::GroupOrigin origin() const override { return {queue_.ownId(), queue_.pair()->qp_num}; }
    std::size_t datagramBytes() const override { return queue_.mtu(); }
    std::size_t overheadBytes() const override { return kPacketOverhead; }
    std::size_t burstBytes() const override { return kMaxBurst * queue_.mtu(); }
    std::uint64_t bitRate() const override { return queue_.bitRate(); }
    Sent send(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes) override {
        const std::size_t count = (bytes + datagramBytes - 1) / datagramBytes;
        if (!failure().empty() || datagramBytes > queue_.mtu() || count > kMaxBurst) {
            return Sent::Lost;
        }
        if (free_ < count) {
            reclaim();
            if (free_ < count) {
                return failure().empty() ? Sent::Later : Sent::Lost;
            }
        }
        auto piece = pieces.begin();
        std::size_t pieceAt = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::byte* const place = ring_.data() + std::size_t{next_} * queue_.mtu();
            next_ = (next_ + 1) % queue_.depth();
            const std::size_t wanted = std::min(datagramBytes, bytes - i * datagramBytes);
            for (std::size_t at = 0; at < wanted;) {
                const std::size_t part = std::min(wanted - at, piece->iov_len - pieceAt);
                std::memcpy(place + at, static_cast<const std::byte*>(piece->iov_base) + pieceAt, part);
                at += part;
                pieceAt += part;
                if (pieceAt == piece->iov_len) {
                    ++piece;
                    pieceAt = 0;
                }
            }
            const bool last = i + 1 == count;
            entries_[i].addr = reinterpret_cast<std::uint64_t>(place);
            entries_[i].length = static_cast<std::uint32_t>(wanted);
            requests_[i].wr_id = last ? count : 0;
            requests_[i].send_flags = last ? IBV_SEND_SIGNALED : 0;
            requests_[i].next = last ? nullptr : &requests_[i + 1];
        }
        ibv_send_wr* refused = nullptr;
        if (const int code = ibv_post_send(queue_.pair(), requests_.data(), &refused); code != 0) {
            queue_.fail(fmt::format("{} takes no datagrams: {}", queue_.describe(), errnoText(code)));
            return Sent::Lost;
        }
        free_ -= static_cast<std::uint32_t>(count);
        return Sent::Yes;
    }
    int roomDescriptor() const override { return room_; }
    bool awaitRoom() override {
        if (!queue_.completions().arm()) {
            queue_.fail(fmt::format("{} failed", queue_.describe()));
        }
        reclaim();
        return free_ < kMaxBurst && failure().empty();
    }
    int eventDescriptor() const override { return queue_.eventDescriptor(); }
    void takeEvents() override { queue_.takeEvents(); }
    const std::string& failure() const override { return queue_.failure(); }

  private:
    /// Completions arrive in posting order, each for its whole chain.
    void reclaim() {
        std::array<ibv_wc, 16> done;
        for (;;) {
            const int count = queue_.completions().poll(done);
            if (count < 0) {
                queue_.fail(fmt::format("{} failed", queue_.describe()));
            }
            for (int i = 0; i < count; ++i) {
                const ibv_wc& one = done[static_cast<std::size_t>(i)];
                if (one.status != IBV_WC_SUCCESS) {
                    queue_.fail(fmt::format("{}: {}", queue_.describe(), completionStatusText(one.status)));
                } else {
                    free_ += static_cast<std::uint32_t>(one.wr_id);
                }
            }
            if (count < static_cast<int>(done.size())) {
                return;
            }
        }
    }

    /// IPv4, UDP and the transport's own headers (BTH, DETH, ICRC), as in RoCE v2; InfiniBand's are not
    /// larger.
    static constexpr std::size_t kPacketOverhead = 20 + 8 + 12 + 8 + 4;

    UdQueue queue_;
    const int room_;
    AddressHandle to_;
    RegisteredBuffer ring_;
    std::uint32_t next_ = 0, free_ = 0;  // positions in the ring
    std::array<ibv_send_wr, kMaxBurst> requests_{};
    std::array<ibv_sge, kMaxBurst> entries_{};
};

}  // namespace

std::unique_ptr<multicast::GroupPort> ud::openSender(const multicast::GroupAddress& address,
                                                     const multicast::GroupInterface& interface, int ttl) {
    requireDevice(interface);
    return std::make_unique<UdSender>(address, interface, ttl);
}

}  // namespace verbcast
