// A group's datagrams over verbs. Sending: one copy into the ring, then one call for a chain of up to 60, of
// which only the last produces a completion. Receiving: up to 64 completions per call; the data lies in the
// ring, behind a header of 40 bytes, until it is given back and reposted, 64 per call. No allocation, no
// lock; system calls only in arm(), awaitRoom() and, now and then, to check for events. Cost:
// tests/core/multicast/multicast_rdma.py
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/transport/rdma/ud_group.h"
#include "core/transport/rdma/verbs/ud/ud_group.h"
#include "core/transport/rdma/verbs/verbs_errors.h"

namespace verbcast {
namespace {

// Empty takes until we check that the device is still there: polling threads never sleep.
constexpr unsigned kIdleTakes = 1024;

}  // namespace

/// Completions arrive in posting order, each for its whole chain.
void UdSender::reclaim() {
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

bool UdSender::awaitRoom() {
    if (!queue_.completions().arm()) {
        queue_.fail(fmt::format("{} failed", queue_.describe()));
    }
    reclaim();
    return free_ < kMaxBurst && failure().empty();
}

multicast::GroupPort::Sent UdSender::send(std::span<const iovec> pieces, std::size_t datagramBytes,
                                          std::size_t bytes) {
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

std::size_t UdReceiver::take(std::span<multicast::GroupDatagram> into) {
    const std::size_t most = std::min({into.size(), completions_.size(), kBatch});
    const int count = queue_.completions().poll(std::span(completions_).first(most));
    if (count < 0) {
        queue_.fail(fmt::format("{} failed", queue_.describe()));
        return 0;
    }
    if (count == 0 && ++idle_ % kIdleTakes == 0) {
        queue_.takeEvents();
    }
    std::size_t given = 0;
    for (int i = 0; i < count; ++i) {
        const ibv_wc& one = completions_[static_cast<std::size_t>(i)];
        if (one.status != IBV_WC_SUCCESS) {
            queue_.fail(fmt::format("{}: {}", queue_.describe(), completionStatusText(one.status)));
            continue;
        }
        const auto place = static_cast<std::uint32_t>(one.wr_id);
        taken_.push_back(place);
        const auto datagram = ud::datagramOf({{ring_->data() + place * placeBytes_, placeBytes_},
                                              one.byte_len,
                                              (one.wc_flags & IBV_WC_GRH) != 0,
                                              one.src_qp});
        into[given++] = datagram.value_or(multicast::GroupDatagram{});
    }
    return given;
}

void UdReceiver::post(std::vector<std::uint32_t>& places) {
    for (std::size_t at = 0; at < places.size(); at += kBatch) {
        const std::size_t count = std::min(kBatch, places.size() - at);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t place = places[at + i];
            entries_[i].addr = reinterpret_cast<std::uint64_t>(ring_->data() + place * placeBytes_);
            entries_[i].length = static_cast<std::uint32_t>(placeBytes_);
            entries_[i].lkey = static_cast<std::uint32_t>(ring_->registration().localHandle);
            requests_[i].wr_id = place;
            requests_[i].sg_list = &entries_[i];
            requests_[i].num_sge = 1;
            requests_[i].next = i + 1 == count ? nullptr : &requests_[i + 1];
        }
        ibv_recv_wr* refused = nullptr;
        if (const int code = ibv_post_recv(queue_.pair(), requests_.data(), &refused); code != 0) {
            queue_.fail(fmt::format("{} takes no receives: {}", queue_.describe(), errnoText(code)));
        }
    }
    places.clear();
}

bool UdReceiver::arm() {
    queue_.takeEvents();
    if (!queue_.completions().arm()) {
        queue_.fail(fmt::format("{} failed", queue_.describe()));
    }
    return failure().empty();
}

}  // namespace verbcast
