// Waits that others of Python's threads may use, and that signals end.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <verbcast/verbcast.hpp>

namespace verbcast::python {

/// Lets Python's other threads run as long as it lives. At the end of the interpreter Python ends the threads
/// that ask for the GIL, by an exception of the C library's that a destructor must not pass on (pybind11's
/// own aborts): such a thread, which must be a daemon, stays here until the process has ended.
class WithoutGil {
  public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    ~WithoutGil() {
        try {
            PyEval_RestoreThread(state_);
        } catch (const abi::__forced_unwind&) {
            for (;;) {
                ::pause();
            }
        }
    }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

  private:
    PyThreadState* const state_;
};

/// Seconds; without a value: for ever.
using Timeout = std::optional<double>;

/// Python runs signal handlers between its instructions only, so a wait returns there so often.
inline constexpr int kSignalCheckMs = 100;

/// Throws what a signal's handler raised, as KeyboardInterrupt.
inline void runSignalHandlers() {
    if (PyErr_CheckSignals() != 0) {
        throw pybind11::error_already_set();
    }
}

/// Calls wait(milliseconds), which returns a vc_status, without the GIL, until it returns something else than
/// VC_TIMEOUT or the time is up. VC_INTERRUPTED, too, if what is waited for is `closed` meanwhile.
template <typename Wait>
vc_status waitFor(const Timeout& timeout, const std::atomic<bool>& closed, Wait&& wait) {
    using Clock = std::chrono::steady_clock;
    if (timeout && !(*timeout >= 0)) {
        throw pybind11::value_error("timeout: seconds, or None for ever, expected, not less than 0");
    }
    const auto begin = Clock::now();
    const bool wasClosed = closed;
    for (;;) {
        const std::chrono::duration<double, std::milli> passed = Clock::now() - begin;
        const double left =
            timeout ? std::max(*timeout * 1e3 - passed.count(), 0.) : std::numeric_limits<double>::infinity();
        const int slice = static_cast<int>(std::ceil(std::min<double>(left, kSignalCheckMs)));
        vc_status status = VC_TIMEOUT;
        try {
            const WithoutGil released;
            status = vc::checked(wait(slice));
        } catch (const vc::Error&) {
            if (wasClosed || !closed) {
                throw;
            }
            status = VC_INTERRUPTED;  // closed between two slices
        }
        if (status != VC_TIMEOUT || left <= slice) {
            return status;
        }
        runSignalHandlers();
    }
}

}  // namespace verbcast::python
