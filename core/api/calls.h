// What each function of the C interface does around its work: checks arguments, turns exceptions into
// vc_error(), lends strings.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "core/api/common.h"
#include "core/api/handles.h"
#include "core/base/error.h"

namespace verbcast {

[[noreturn]] inline void refuse(const std::string& what, const std::string& remedy = {}) {
    throw Error(ErrorKind::Usage, what, remedy);
}

inline void require(bool condition, const char* what) {
    if (!condition) {
        refuse(what);
    }
}

/// "; try: " and the remedy, if there is one.
inline std::string errorText(const Error& error) {
    return error.remedy().empty() ? std::string(error.what())
                                  : fmt::format("{}; try: {}", error.what(), error.remedy());
}

/// What vc_error() and vc_error_code() return on this thread.
void setLastError(std::string text, vc_error_kind kind) noexcept;

/// Runs work(). If it throws, vc_error() tells why, and `failed` is returned.
template <typename Result, typename Work>
Result guarded(Result failed, Work&& work) noexcept {
    try {
        setLastError({}, VC_NO_ERROR);
        return work();
    } catch (const Error& error) {
        setLastError(errorText(error), static_cast<vc_error_kind>(error.kind()));
    } catch (const std::bad_alloc&) {
        setLastError("out of memory", VC_ERROR_RESOURCE);
    } catch (const std::exception& error) {
        setLastError(error.what(), VC_ERROR_INTERNAL);
    }
    return failed;
}

/// Strings that functions return: valid until the calling thread makes the next Lent.
class Lent {
  public:
    Lent();
    const char* operator()(std::string text);
};

inline std::chrono::nanoseconds timeoutFrom(int milliseconds) {
    return milliseconds < 0 ? std::chrono::nanoseconds::max()
                            : std::chrono::nanoseconds(std::chrono::milliseconds(milliseconds));
}

vc_status statusFrom(Status status);

/// Opaque pointers are numbers of HandleTable.
template <typename Opaque>
std::uint64_t numberOf(const Opaque* handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
}
template <typename Opaque>
Opaque* handleFrom(std::uint64_t number) {
    return reinterpret_cast<Opaque*>(
        static_cast<std::uintptr_t>(number));  // NOLINT(performance-no-int-to-ptr)
}

/// Throws Error{Usage} for a handle that is NULL or was closed.
template <typename T, typename Opaque>
std::shared_ptr<T> objectOf(const Opaque* handle, const char* function) {
    if (handle == nullptr) {
        refuse(fmt::format("{}: a {} expected, NULL given", function, kHandleName<T>));
    }
    HandleTable& table = HandleTable::ours();
    if (auto object = table.find<T>(numberOf(handle))) {
        return object;
    }
    if (table.isParents(numberOf(handle))) {
        refuse(fmt::format("{}: the {} is the parent process's", function, kHandleName<T>),
               "open one after fork()");
    }
    refuse(fmt::format("{}: the {} was closed, or never opened", function, kHandleName<T>));
}

/// For functions that one thread at a time may be in.
class Turn {
  public:
    /// Throws Error{Usage} while another Turn holds `taken`.
    Turn(std::atomic<bool>& taken, const char* function) : taken_(taken) {
        if (taken_.exchange(true, std::memory_order_acquire)) {
            refuse(fmt::format("{}: another thread is in this call", function),
                   "call it from one thread at a time");
        }
    }
    ~Turn() { taken_.store(false, std::memory_order_release); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

  private:
    std::atomic<bool>& taken_;
};

}  // namespace verbcast
