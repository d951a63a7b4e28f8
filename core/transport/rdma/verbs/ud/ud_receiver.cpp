// Up to 64 completions per call; the data lies in the ring, behind a header of 40 bytes, until it is given
// back and reposted, 64 per call. No allocation, no lock; system calls only in arm() and, now and then, to
// check for events. Cost: tests/core/multicast/multicast_rdma.py
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "core/transport/multicast/group_port.h"
#include "core/transport/rdma/registered_buffer.h"
#include "core/transport/rdma/ud_group.h"
#include "core/transport/rdma/verbs/ud/ud_queue.h"
#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {
namespace {

// Places are aligned to cache lines.
constexpr std::size_t kPlaceAlignment = 64;
// If less memory may be locked, fewer receives will do.
constexpr std::uint32_t kMinReceives = 256;

// Empty takes until we check that the device is still there: polling threads never sleep.
constexpr unsigned kIdleTakes = 1024;

/// For `places` places, or fewer if no more may be locked.
RegisteredBuffer receiveMemory(UdQueue& queue, std::size_t placeBytes, std::uint32_t& places) {
    for (;; places /= 2) {
        try {
            return {queue.domain(), places * placeBytes, MemoryUse::LocalWrite};
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Resource || places / 2 < kMinReceives) {
                throw;
            }
        }
    }
}

/// Receives into its own ring. Thread-bound.
class UdReceiver final : public multicast::GroupReceiver {
  public:
    UdReceiver(const multicast::GroupAddress& address, const multicast::GroupInterface& interface)
        : queue_(address, interface, UdUse::Receive),
          completed_(queue_.completions().descriptor()),
          placeBytes_((ud::kHeaderBytes + queue_.mtu() + kPlaceAlignment - 1) / kPlaceAlignment *
                      kPlaceAlignment),
          places_(queue_.depth()),
          ring_(receiveMemory(queue_, placeBytes_, places_)) {
        std::vector<std::uint32_t> all(places_);
        std::iota(all.begin(), all.end(), 0U);
        taken_.reserve(kBatch);
        post(all);
        if (!failure().empty()) {
            throw Error(ErrorKind::Device, failure(), "use via=udp");
        }
    }
    ~UdReceiver() override { queue_.stop(); }

    std::string describe() const override { return queue_.describe(); }
    std::array<std::byte, 16> group() const override { return queue_.groupId(); }
    std::size_t datagramBytes() const override { return queue_.mtu(); }
    std::uint64_t bitRate() const override { return queue_.bitRate(); }
    std::size_t take(std::span<multicast::GroupDatagram> into) override {
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
            const auto datagram = ud::datagramOf({{ring_.data() + place * placeBytes_, placeBytes_},
                                                  one.byte_len,
                                                  (one.wc_flags & IBV_WC_GRH) != 0,
                                                  one.src_qp});
            into[given++] = datagram.value_or(multicast::GroupDatagram{});
        }
        return given;
    }
    void giveBack() override { post(taken_); }
    std::array<int, 2> descriptors() const override { return {completed_, queue_.eventDescriptor()}; }
    bool arm() override {
        queue_.takeEvents();
        if (!queue_.completions().arm()) {
            queue_.fail(fmt::format("{} failed", queue_.describe()));
        }
        return failure().empty();
    }
    const std::string& failure() const override { return queue_.failure(); }

  private:
    void post(std::vector<std::uint32_t>& places) {
        for (std::size_t at = 0; at < places.size(); at += kBatch) {
            const std::size_t count = std::min(kBatch, places.size() - at);
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint32_t place = places[at + i];
                entries_[i].addr = reinterpret_cast<std::uint64_t>(ring_.data() + place * placeBytes_);
                entries_[i].length = static_cast<std::uint32_t>(placeBytes_);
                entries_[i].lkey = static_cast<std::uint32_t>(ring_.registration().localHandle);
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

    static constexpr std::size_t kBatch = 64;

    UdQueue queue_;
    const int completed_;
    const std::size_t placeBytes_;
    std::uint32_t places_;
    RegisteredBuffer ring_;
    std::vector<std::uint32_t> taken_;
    std::array<ibv_wc, kBatch> completions_{};
    std::array<ibv_recv_wr, kBatch> requests_{};
    std::array<ibv_sge, kBatch> entries_{};
    unsigned idle_ = 0;
};

}  // namespace

std::unique_ptr<multicast::GroupReceiver> ud::openReceiver(const multicast::GroupAddress& address,
                                                           const multicast::GroupInterface& interface) {
    requireDevice(interface);
    return std::make_unique<UdReceiver>(address, interface);
}

}  // namespace verbcast
