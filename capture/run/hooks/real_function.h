// Finds the functions that a program would call without us.
#pragma once

#include <atomic>

namespace verbcast {

using Dlsym = void* (*)(void* handle, const char* name);

/// The C library's own dlsym(). It answers for its direct caller: RTLD_NEXT means behind us.
Dlsym libraryDlsym();
/// The dlsym() behind ours: another preloaded library's, or the C library's.
Dlsym nextDlsym();

/// The interface that a function belongs to.
enum class Api { Glx, Egl, X11, Xext };

/// The function behind ours. Programs that load a library themselves keep it out of the global scope: then it
/// is loaded by name, and stays loaded. Null if there is no such function.
void* realFunction(Api api, const char* name);

/// Whether a function that a program found is the one that realFunction() returns. Some programs bring
/// another library with functions of the same names (ANGLE), which must get its own calls.
bool isRealFunction(Api api, const char* name, const void* function);

/// A typed realFunction(), looked up at the first call. Constant-initialised and lock-free: usable before
/// constructors and in a forked child.
template <typename Signature>
class RealFunction;

template <typename Result, typename... Arguments>
class RealFunction<Result(Arguments...)> {
  public:
    constexpr RealFunction(Api api, const char* name) : api_(api), name_(name) {}

    /// Whether the function exists.
    explicit operator bool() const { return get() != nullptr; }
    /// Calls it; returns a zero value if it does not exist.
    Result operator()(Arguments... arguments) const {
        const auto function = get();
        return function != nullptr ? function(arguments...) : Result();
    }

  private:
    using Function = Result (*)(Arguments...);
    Function get() const {
        Function found = found_.load(std::memory_order_acquire);
        if (found == nullptr) {
            found = reinterpret_cast<Function>(realFunction(api_, name_));
            found_.store(found, std::memory_order_release);
        }
        return found;
    }

    Api api_;
    const char* name_;
    mutable std::atomic<Function> found_{nullptr};
};

}  // namespace verbcast
