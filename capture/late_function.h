// Functions of libraries that are looked up when they are first called.
#pragma once

#include <atomic>

namespace verbcast {

/// A function that `Find(place, name)` looks up at the first call, and at each one until there is one. Find
/// returns its address; null or throws if there is none. From any thread. Constant-initialised and lock-free:
/// usable before constructors and in a forked child.
template <auto Find, typename Place, typename Signature>
class LateFunction;

template <auto Find, typename Place, typename Result, typename... Arguments>
class LateFunction<Find, Place, Result(Arguments...)> {
  public:
    constexpr LateFunction(Place place, const char* name) : place_(place), name_(name) {}

    /// Whether the function exists. Throws as Find does.
    explicit operator bool() const { return get() != nullptr; }
    /// Calls it; returns a zero value if it does not exist. Throws as Find does.
    Result operator()(Arguments... arguments) const {
        const auto function = get();
        return function != nullptr ? function(arguments...) : Result();
    }

  private:
    using Function = Result (*)(Arguments...);
    Function get() const {
        Function found = found_.load(std::memory_order_acquire);
        if (found == nullptr) {
            found = reinterpret_cast<Function>(Find(place_, name_));
            found_.store(found, std::memory_order_release);
        }
        return found;
    }

    Place place_;
    const char* name_;
    mutable std::atomic<Function> found_{nullptr};
};

}  // namespace verbcast
