// Shared by the tests of both ledgers: a path that only records calls, and helpers for pools, frames and
// rings.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/session/messages/messages.h"
#include "core/transport/frame_path.h"
#include "tests/support/expectations.h"

namespace verbcast::testing {

/// Records the calls that it gets.
class FakePath final : public TransportPath {
  public:
    explicit FakePath(bool shares) : shares_(shares) {}
    void setHandler(FrameHandler*) override {}
    bool sharesMemory() const override { return shares_; }
    std::optional<Import> reaches(const Memory&) const override { return Import{}; }
    void prepare(const std::shared_ptr<FramePool>& pool) override { prepared.push_back(pool); }
    void offer(RingId ring, std::shared_ptr<FramePool>) override {
        offered.push_back(ring);
        if (whenOffered) {
            whenOffered();
        }
    }
    void retire(RingId ring) override { retired.push_back(ring); }
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte>) override {
        accepted.push_back(ring);
        if (!shares_) {
            return nullptr;
        }
        const auto pool = FramePool::create(
            {.slotBytes = shape.slotBytes, .slotCount = shape.slotCount, .hugePages = false});
        pool->slots().takeFree([](std::uint32_t) {});  // held by the peer, as in a mapped pool
        pools.push_back(pool);
        return pool;
    }
    void forget(RingId ring) override {
        forgotten.push_back(ring);
        std::erase(accepted, ring);
    }
    UniqueFd takeDeathSocket(RingId) override { return std::move(deathSocket); }
    Status send(const OutgoingFrame& frame) override {
        if (next != Status::Ok) {
            return next;
        }
        sent.push_back(frame);
        if (whenSent) {
            whenSent();
        }
        return Status::Ok;
    }
    std::uint64_t payloadBytesMoved() const override { return 0; }

    std::function<void()> whenOffered, whenSent;
    std::vector<RingId> offered, retired, accepted, forgotten;
    std::vector<OutgoingFrame> sent;
    std::vector<std::weak_ptr<FramePool>> pools;
    std::vector<std::shared_ptr<FramePool>> prepared;
    UniqueFd deathSocket;
    Status next = Status::Ok;

  private:
    bool shares_;
};

inline std::shared_ptr<FramePool> pool(std::uint32_t slots = 4, std::uint64_t slotBytes = 4096) {
    return FramePool::create({.slotBytes = slotBytes, .slotCount = slots, .hugePages = false});
}

inline FrameInfo frame(std::uint64_t sequence, std::uint64_t bytes = 100) {
    FrameInfo info;
    info.sequence = sequence;
    info.payloadBytes = bytes;
    return info;
}

inline RingMessage ringOf(RingId ring, std::uint32_t slots = 4) {
    RingMessage message;
    message.ring = ring;
    message.shape = {4096, slots};
    return message;
}

template <typename Call>
void expectPeerError(Call&& call, const char* why) {
    const Error error = thrownBy([&] { call(); });
    EXPECT_EQ(error.kind(), ErrorKind::Peer) << why;
}

}  // namespace verbcast::testing
