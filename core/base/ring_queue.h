// A queue that allocates only while it grows.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace verbcast {

/// First in, first out. Its storage is circular, so a queue that has reached its full length does not
/// allocate (std::deque allocates every few elements). Elements are default-constructible and movable; a
/// popped one is reset at once. Not synchronised.
template <typename T>
class RingQueue {
  public:
    RingQueue() = default;
    /// Reserves space for `capacity` elements.
    explicit RingQueue(std::size_t capacity) : places_(capacity) {}

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    /// The oldest element. The queue must not be empty.
    T& front() { return places_[first_]; }
    const T& front() const { return places_[first_]; }
    /// The element `index` places behind the oldest; index < size().
    T& operator[](std::size_t index) { return places_[(first_ + index) % places_.size()]; }

    /// Guarantees that the next push() does not throw, for callers that must not fail afterwards.
    void makeRoom() {
        if (count_ == places_.size()) {
            grow();
        }
    }
    void push(T&& value) {
        makeRoom();
        places_[(first_ + count_) % places_.size()] = std::move(value);
        ++count_;
    }
    void push(const T& value) requires std::is_copy_constructible_v<T> { push(T(value)); }
    T pop() {
        T value = std::move(places_[first_]);
        drop();
        return value;
    }
    /// The same, for an element that nobody wants.
    void drop() {
        places_[first_] = T{};
        first_ = (first_ + 1) % places_.size();
        --count_;
    }
    void clear() {
        while (!empty()) {
            drop();
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
