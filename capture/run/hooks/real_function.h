// The functions that a program would have called without us.
#pragma once

#include <atomic>

namespace verbcast {

using Dlsym = void* (*)(void* handle, const char* name);

/// The C library's own dlsym(), which answers as its caller would be answered: RTLD_NEXT means behind us.
Dlsym libraryDlsym();
/// The one behind ours: another preloaded library's, or the C library's.
Dlsym nextDlsym();

/// What has a function.
enum class Api { Glx, Egl, X11, Xext };

/// The function behind ours. Programs that load a library by themselves keep it out of the global scope: then
/// it is asked for by its name, and stays loaded. Null: there is no such function.
void* realFunction(Api api, const char* name);

/// Whether a function found by a program is one that realFunction() stands for. Some programs bring another
/// library with functions of the same names along (ANGLE), which must get its own calls.
bool isRealFunction(Api api, const char* name, const void* function);

/// realFunction() with its type, found at the first call. Constant-initialised and without a lock: it may be
/// used before constructors, and by a forked child.
template <typename Signature>
class RealFunction;

template <typename Result, typename... Arguments>
class RealFunction<Result(Arguments...)> {
  public:
    constexpr RealFunction(Api api, const char* name) : api_(api), name_(name) {}

    /// Whether there is one.
    explicit operator bool() const { return get() != nullptr; }
    /// A value of zeros when there is none.
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
