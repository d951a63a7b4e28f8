// A group of an RDMA network, in memory: every present receiver gets what its port sends.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/os/event.h"
#include "core/multicast/group_hub.h"
#include "core/multicast/group_sink_path.h"
#include "core/transport/multicast/group_port.h"

namespace verbcast::testing {

/// Outlives its ends. Safe from any thread.
class MemoryGroup {
  public:
    static constexpr std::size_t kMtu = 4096;
    static constexpr std::uint32_t kSender = 77;  // its queue pair

    GroupHub::OpenRdma sender() {
        return [this](const auto&...) -> std::unique_ptr<multicast::GroupPort> {
            const std::lock_guard lock(mutex_);
            if (!broken_.empty()) {
                throw Error(ErrorKind::Device, broken_);
            }
            return std::make_unique<Port>(*this);
        };
    }
    GroupSinkPath::OpenRdma receiver() {
        return [this](const auto&...) -> std::unique_ptr<multicast::GroupReceiver> {
            if (!refusal.empty()) {
                throw Error(ErrorKind::Device, refusal);
            }
            return std::make_unique<Receiver>(*this);
        };
    }
    static multicast::GroupOrigin senderOrigin() { return {{std::byte{0xfe}}, kSender}; }
    /// Delivered to all as if it had been sent.
    void inject(std::vector<std::byte> datagram, const multicast::GroupOrigin& from) {
        const std::lock_guard lock(mutex_);
        for (Receiver* receiver : receivers_) {
            receiver->waiting.push_back({datagram, from});
            receiver->came.notify();
        }
    }
    void breakPort() {
        const std::lock_guard lock(mutex_);
        broken_ = "the device was removed";
        event_.notify();
    }
    void mendPort() {
        const std::lock_guard lock(mutex_);
        broken_.clear();
        event_.clear();
    }
    /// The last datagram sent.
    std::vector<std::byte> last() {
        const std::lock_guard lock(mutex_);
        return last_;
    }

    std::string refusal;                                   ///< why there is no receiver
    std::array<std::byte, 16> nameThere{std::byte{0xff}};  ///< the group's name as viewers see it
    std::size_t mtuThere = kMtu;
    std::size_t lose = 0;  ///< loses every n-th datagram; 0: none

  private:
    struct Came {
        std::vector<std::byte> bytes;
        multicast::GroupOrigin from;
    };
    struct Receiver final : multicast::GroupReceiver {
        explicit Receiver(MemoryGroup& of) : group_(of) {
            const std::lock_guard lock(of.mutex_);
            of.receivers_.push_back(this);
        }
        ~Receiver() override {
            const std::lock_guard lock(group_.mutex_);
            std::erase(group_.receivers_, this);
        }
        std::string describe() const override { return "memory"; }
        std::array<std::byte, 16> group() const override { return group_.nameThere; }
        std::size_t datagramBytes() const override { return group_.mtuThere; }
        std::uint64_t bitRate() const override { return 0; }
        std::size_t take(std::span<multicast::GroupDatagram> into) override {
            const std::lock_guard lock(group_.mutex_);
            std::size_t count = 0;
            for (; count < into.size() && !waiting.empty(); ++count) {
                taken.push_back(std::move(waiting.front()));
                waiting.pop_front();
            }
            for (std::size_t i = 0; i < count; ++i) {
                into[i] = {taken[i].bytes, taken[i].from};
            }
            return count;
        }
        void giveBack() override { taken.clear(); }
        std::array<int, 2> descriptors() const override { return {came.descriptor(), never.descriptor()}; }
        bool arm() override {
            came.clear();
            return true;
        }
        const std::string& failure() const override { return none; }

        MemoryGroup& group_;
        std::deque<Came> waiting;
        std::vector<Came> taken;
        Event came, never;
        const std::string none;
    };
    struct Port final : multicast::GroupPort {
        explicit Port(MemoryGroup& of) : group_(of) {}
        std::string describe() const override { return "memory"; }
        multicast::GroupOrigin origin() const override { return senderOrigin(); }
        std::array<std::byte, 16> group() const override { return {std::byte{0xff}}; }
        std::size_t datagramBytes() const override { return kMtu; }
        std::size_t overheadBytes() const override { return 0; }
        std::size_t burstBytes() const override { return kMaxBurst * kMtu; }
        std::uint64_t bitRate() const override { return 0; }
        Sent send(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes) override {
            std::vector<std::byte> all;
            for (const iovec& piece : pieces) {
                const auto* begin = static_cast<const std::byte*>(piece.iov_base);
                all.insert(all.end(), begin, begin + piece.iov_len);
            }
            EXPECT_EQ(all.size(), bytes);
            EXPECT_LE(datagramBytes, kMtu);
            for (std::size_t at = 0; at < bytes; at += datagramBytes) {
                const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
                std::vector<std::byte> one(
                    begin, begin + static_cast<std::ptrdiff_t>(std::min(datagramBytes, bytes - at)));
                ++sent;
                if (group_.lose == 0 || sent % group_.lose != 0) {
                    group_.inject(one, origin());
                }
                const std::lock_guard lock(group_.mutex_);
                group_.last_ = std::move(one);
            }
            return Sent::Yes;
        }
        int roomDescriptor() const override { return -1; }
        int eventDescriptor() const override { return group_.event_.descriptor(); }
        void takeEvents() override {
            const std::lock_guard lock(group_.mutex_);
            failed = group_.broken_;
        }
        const std::string& failure() const override { return failed; }

        MemoryGroup& group_;
        std::size_t sent = 0;
        std::string failed;
    };

    std::mutex mutex_;
    std::vector<Receiver*> receivers_;
    std::vector<std::byte> last_;
    std::string broken_;
    Event event_;
};

}  // namespace verbcast::testing
