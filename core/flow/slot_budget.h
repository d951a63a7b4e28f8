// Shares one sender's slots among all of its receivers, so that slow ones cost the others nothing.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "core/base/os/clock.h"

namespace verbcast {

/// In a ring of S slots, one is being captured into and two hold the newest frames, which every receiver's
/// queue may share. The other S - 3 may be held for longer, by receivers that lag: those that still hold a
/// frame when two newer ones have been offered. A receiver that keeps up is never limited. One that lags may
/// begin a frame only if that is already held for long, if there is room for one more, or if it is one of the
/// two newest and at most the second that it holds: a viewer releases a picture once it has the next. When
/// receivers that kept up begin to lag and together hold more than there is room for, some have to go: first
/// those that have finished nothing for the longest time, but never the only one. So with more than one
/// receiver, a slot for the next frame is always free, however many of them are slow. (A ring of fewer than 4
/// slots cannot promise that: there, one frame may be held for long.)
///
/// Frames are identified by their sequence. Thread-safe.
class SlotBudget {
  public:
    using Holder = std::uint64_t;
    static constexpr std::uint32_t kForNewest = 3;  ///< one being captured, two in queues

    explicit SlotBudget(std::uint32_t slots);

    /// Returns who has to go, like offered(): a receiver that was the only one may hold more than the slow
    /// ones may. `receiver`: its first holder, if it has several.
    std::vector<Holder> join(Holder holder, TimestampNs now, Holder receiver);
    std::vector<Holder> join(Holder holder, TimestampNs now) { return join(holder, now, holder); }
    void leave(Holder holder);

    /// Asks to hold the frame. Returns true if the holder now has it, until release() or leave().
    bool hold(Holder holder, std::uint64_t sequence);
    /// The frame was not begun after all.
    void withdraw(Holder holder, std::uint64_t sequence);
    void release(Holder holder, std::uint64_t sequence, TimestampNs now);

    /// A newer frame was offered to all, from a ring of `slots` slots. Returns the holders that have to go,
    /// mostly none; they no longer count. If a receiver would lag now, `hear` is called first, without a
    /// lock: it may have given back what nobody has taken note of.
    template <typename Hear>
    std::vector<Holder> offered(std::uint64_t sequence, std::uint32_t slots, Hear&& hear) {
        std::unique_lock lock(mutex_);
        if (anyWillLag(sequence)) {
            lock.unlock();
            hear();
            lock.lock();
        }
        return offer(sequence, slots);
    }
    std::vector<Holder> offered(std::uint64_t sequence, std::uint32_t slots) {
        return offered(sequence, slots, [] {});
    }
    std::vector<Holder> offered(std::uint64_t sequence) { return offered(sequence, slots_); }

  private:
    struct State {
        std::vector<std::uint64_t> frames;  // held
        bool lags = false;
        TimestampNs progressAt = 0;
        Holder receiver = 0;
    };
    /// Whether two newer ones have been offered.
    bool isOld(std::uint64_t sequence) const { return sequence + 2 <= newest_; }
    static bool holdsOld(const State& state, std::uint64_t newest);
    bool holdsOld(const State& state) const { return holdsOld(state, newest_); }
    bool isLong(std::uint64_t sequence) const;
    std::uint32_t countLong() const;
    std::uint32_t countOld() const;
    template <typename Include>
    std::uint32_t countFrames(Include&& include) const;
    bool anyOther() const;
    bool anyWillLag(std::uint64_t sequence) const;
    std::vector<Holder> offer(std::uint64_t sequence, std::uint32_t slots);
    std::vector<Holder> makeRoom();

    const std::uint32_t slots_;
    std::uint32_t longSlots_;
    std::mutex mutex_;  // held for a few comparisons only
    std::map<Holder, State> holders_;
    std::uint64_t newest_ = 0;
};

}  // namespace verbcast
