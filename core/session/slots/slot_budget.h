// One sender's slots shared out among all of its receivers, so that slow ones cost the others nothing.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "core/base/clock.h"

namespace verbcast {

/// Of a ring of S slots one is being captured into and two hold the newest frames, which every receiver's
/// queue may share. The other S - 3 may be held for longer: by receivers that lag, which hold a frame when
/// two newer ones have been offered. A receiver that keeps up is never asked; one that lags may begin a frame
/// only if that is held for long already, if there is room for one more, or, for a viewer that lets go of one
/// picture when it has the next, if it is one of the two newest and the second that it holds. When receivers
/// that kept up until now begin to lag and together hold more than there is, some have to go: those first
/// that have finished nothing for the longest time, but never the only one. So a slot for the next frame is
/// always free, however many receivers are slow, where there is more than one. (A ring of less than 4 slots
/// cannot promise that: there, one frame may be held for long.)
///
/// Frames are known by their sequence. All functions are safe from any thread.
class SlotBudget {
  public:
    using Holder = std::uint64_t;

    explicit SlotBudget(std::uint32_t slots);

    /// As offered(): a receiver that was the only one may hold more than there is for the slow. `receiver`:
    /// that of its first holder, where one has several.
    std::vector<Holder> join(Holder holder, TimestampNs now, Holder receiver);
    std::vector<Holder> join(Holder holder, TimestampNs now) { return join(holder, now, holder); }
    void leave(Holder holder);

    /// Asks for leave to hold the frame; true: the holder has it, until release() or leave().
    bool hold(Holder holder, std::uint64_t sequence);
    /// The frame was not begun after all.
    void withdraw(Holder holder, std::uint64_t sequence);
    void release(Holder holder, std::uint64_t sequence, TimestampNs now);

    /// Whether any receiver will lag once this frame is offered: time to hear what it has given back.
    bool anyWillLag(std::uint64_t sequence) const;
    /// A newer frame was offered to all, from a ring of so many slots. The holders that have to go, mostly
    /// none; they count no more.
    std::vector<Holder> offered(std::uint64_t sequence, std::uint32_t slots);
    std::vector<Holder> offered(std::uint64_t sequence) { return offered(sequence, slots_); }

    /// Frames that receivers which lag hold.
    std::uint32_t heldForLong() const;

  private:
    struct State {
        std::vector<std::uint64_t> frames;  // held
        bool lags = false;
        TimestampNs progressAt = 0;
        Holder receiver = 0;
    };
    /// Two newer ones have been offered.
    bool isOld(std::uint64_t sequence) const { return sequence + 2 <= newest_; }
    static bool holdsOld(const State& state, std::uint64_t newest);
    bool holdsOld(const State& state) const { return holdsOld(state, newest_); }
    bool isLong(std::uint64_t sequence) const;
    std::uint32_t countLong() const;
    std::uint32_t countOld() const;
    template <typename Include>
    std::uint32_t countFrames(Include&& include) const;
    bool anyOther() const;
    std::vector<Holder> makeRoom();

    const std::uint32_t slots_;
    std::uint32_t longSlots_;
    mutable std::mutex mutex_;  // held for some comparisons
    std::map<Holder, State> holders_;
    std::uint64_t newest_ = 0;
};

}  // namespace verbcast
