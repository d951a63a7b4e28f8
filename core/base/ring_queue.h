// A queue that allocates only while it grows.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace verbcast {

/// First in, first out. Its places are used in a circle, so a queue that has reached its length costs no
/// allocation (std::deque makes one every few elements). Elements are default-constructible and movable; a
/// popped one is reset at once. Not synchronised.
template <typename T>
class RingQueue {
  public:
    RingQueue() = default;
    /// Up to `capacity` elements keep their places until they are popped.
    explicit RingQueue(std::size_t capacity) : places_(capacity) {}

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    /// The oldest. Only when not empty.
    T& front() { return places_[first_]; }
    const T& front() const { return places_[first_]; }
    /// The one so many behind the oldest; index < size().
    T& operator[](std::size_t index) { return places_[(first_ + index) % places_.size()]; }

    /// Makes the next push() one that does not throw: for what may not fail once something else is done.
    void makeRoom() {
        if (count_ == places_.size()) {
            grow();
        }
    }
    void push(T value) {
        makeRoom();
        places_[(first_ + count_) % places_.size()] = std::move(value);
        ++count_;
    }
    T pop() {
        T value = std::exchange(places_[first_], T{});
        first_ = (first_ + 1) % places_.size();
        --count_;
        return value;
    }
    void clear() {
        while (!empty()) {
            static_cast<void>(pop());
        }
    }

  private:
    void grow() {
        std::vector<T> larger(places_.empty() ? 4 : 2 * places_.size());
        for (std::size_t i = 0; i < count_; ++i) {
            larger[i] = std::move((*this)[i]);
        }
        places_ = std::move(larger);
        first_ = 0;
    }

    std::vector<T> places_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

}  // namespace verbcast
