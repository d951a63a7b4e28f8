// State, injected failures, and the check for leaks at exit.
#include "tests/core/gpu/driver/double_state.h"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace verbcast::testing {

void misuse(const char* format, ...) {
    std::fputs("cuda double: misuse: ", stderr);
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    std::fputc('\n', stderr);
    std::abort();
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}
namespace {

void setFailures(Driver& driver, std::string_view spec) {
    driver.failures.clear();
    driver.sticky = 0;
    while (!spec.empty()) {
        const std::string one(spec.substr(0, spec.find(',')));
        spec.remove_prefix(std::min(spec.size(), one.size() + 1));
        const std::size_t first = one.find(':');
        const std::size_t second = one.find(':', first + 1);
        if (first == std::string::npos) {
            misuse("CUDA_DOUBLE_FAIL: '%s' is not CALL:ERROR[:AFTER]", one.c_str());
        }
        driver.failures[one.substr(0, first)] = {
            std::atoi(one.c_str() + first + 1),
            second == std::string::npos ? 0 : std::strtoull(one.c_str() + second + 1, nullptr, 10)};
    }
}
/// The contexts of a thread, which must be popped before it ends.
struct ContextStack {
    std::vector<CUctx_st*> stack;
    ~ContextStack() {
        if (!stack.empty()) {
            misuse("a thread ended with %zu contexts current", stack.size());
        }
    }
};
thread_local ContextStack contextsHere;
}  // namespace

Driver& driver() {
    // Never destroyed: the leak check runs when the library is unloaded.
    static Driver* const one = [] {
        auto* made = new Driver;
        if (const char* spec = std::getenv("CUDA_DOUBLE_FAIL")) {
            setFailures(*made, spec);
        }
        return made;
    }();
    return *one;
}
std::vector<CUctx_st*>& contexts() {
    return contextsHere.stack;
}

Entry::Entry(const char* call, Needs needs) : lock(driver().mutex) {
    Driver& all = driver();
    if (needs != Needs::Nothing && !all.started) {
        misuse("%s before cuInit", call);
    }
    if (needs == Needs::Context && (contexts().empty() || contexts().back()->retained == 0)) {
        misuse("%s without a current context", call);
    }
    if (const auto found = all.failures.find(call); found != all.failures.end()) {
        if (found->second.after > 0) {
            --found->second.after;
        } else {
            result = static_cast<CUresult>(found->second.error);
            all.sticky = found->second.error == CUDA_ERROR_LAUNCH_FAILED ? found->second.error : all.sticky;
        }
    }
    if (all.sticky != 0) {
        result = static_cast<CUresult>(all.sticky);
    }
}

void checkDevice(CUdevice device, const char* call) {
    if (device < 0 || static_cast<std::uint64_t>(device) >= driver().devices) {
        misuse("%s: device %d of %llu", call, device, static_cast<unsigned long long>(driver().devices));
    }
}
namespace {

__attribute__((destructor)) void lookAtWhatIsLeft() {
    Driver& all = driver();
    if (all.alive() == 0 || setting("CUDA_DOUBLE_LEFT", 0) != 0) {
        return;
    }
    std::fprintf(stderr, "cuda double: leaked: %zu allocations, %zu streams, %zu pinned ranges",
                 all.allocations.size(), all.streams.size(), all.pinned.size());
    if (!all.pictures.empty()) {
        std::fprintf(stderr, ", %zu pictures", all.pictures.size());
    }
    if (!all.physical.empty() || !all.reservations.empty()) {
        std::fprintf(stderr, ", %zu handles, %zu reservations", all.physical.size(), all.reservations.size());
    }
    for (const CUctx_st& context : all.primary) {
        if (context.retained != 0) {
            std::fprintf(stderr, ", a context %d times", context.retained);
        }
    }
    std::fputc('\n', stderr);
    std::fflush(nullptr);
    ::_exit(kCudaDoubleLeaked);
}
}  // namespace
}  // namespace verbcast::testing

using namespace verbcast::testing;

extern "C" {

void cudaDoubleFail(const char* spec) {
    const std::lock_guard lock(driver().mutex);
    setFailures(driver(), spec);
}

CudaDoubleCounts cudaDoubleCounts() {
    const std::lock_guard lock(driver().mutex);
    CudaDoubleCounts counts = driver().counts;
    counts.alive = driver().alive();
    return counts;
}

void cudaDoublePeermem(bool on) {
    const std::lock_guard lock(driver().mutex);
    driver().peermem = on;
}

void cudaDoubleDmaBuf(bool on) {
    const std::lock_guard lock(driver().mutex);
    driver().dmaBuf = on;
}

void cudaDoubleOrder(int order, int flushes) {
    const std::lock_guard lock(driver().mutex);
    driver().order = order;
    driver().flushes = flushes;
}

void cudaDoubleShares(int how) {
    const std::lock_guard lock(driver().mutex);
    driver().shares = how != 0;
    driver().readOnly = how == 2;
}

void* cudaDoubleBytes(std::uint64_t address) {
    const std::lock_guard lock(driver().mutex);
    auto found = driver().allocations.upper_bound(address);
    if (found == driver().allocations.begin()) {
        return nullptr;
    }
    --found;
    const std::size_t offset = address - found->first;
    return offset < found->second.bytes ? found->second.content + offset : nullptr;
}

}  // extern "C"
