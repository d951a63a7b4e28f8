// Prints a report when a program crashes. The handler makes only async-signal-safe calls: write(2), and
// glibc's backtrace(), which is called once before so that it loads nothing any more.
#include "app/host/crash_report.h"

#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>

#include "core/base/os/standard_streams.h"
#include "core/base/text/clean_text.h"
#include "core/base/version.h"

// NOLINTNEXTLINE(bugprone-reserved-identifier): the linker's own name
extern "C" const char __executable_start;  // where the program begins in memory; set by the linker
extern "C" const char etext;               // where its code ends

namespace verbcast {
namespace {

constexpr int kMaxFrames = 64;
constexpr std::size_t kStackBytes = 256U << 10;
constexpr unsigned kPatienceSeconds = 10;  // another thread may hold a lock of the loader

struct Crash {
    int signal;
    const char* name;
};
constexpr std::array<Crash, 5> kCrashes{{
    {SIGSEGV, "SIGSEGV, invalid address"},
    {SIGBUS, "SIGBUS, memory that no longer exists"},
    {SIGFPE, "SIGFPE, wrong arithmetic"},
    {SIGILL, "SIGILL, no instruction"},
    {SIGABRT, "SIGABRT"},
}};

const char* programName = "";
std::atomic<pid_t> reporter{0};  // the first thread that crashed

void sayHex(std::uintptr_t number) {
    std::array<char, 2 * sizeof number> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
    writeToStderr("0x");
    writeToStderr({digits.data(), static_cast<std::size_t>(result.ptr - digits.data())});
}

/// Prints the addr2line command for the program's own frames.
void sayHowToReadIt(std::span<void* const> frames) {
    const auto begin = reinterpret_cast<std::uintptr_t>(&__executable_start);
    const auto end = reinterpret_cast<std::uintptr_t>(&etext);
    std::array<char, 4096> path{};
    const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
    writeToStderr("For files and lines: addr2line -Cfpie ");
    writeToStderr({path.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))});
    for (void* const frame : frames) {
        const auto address = reinterpret_cast<std::uintptr_t>(frame);
        if (address >= begin && address < end) {
            writeToStderr(" ");
            sayHex(address - begin);
        }
    }
    writeToStderr("\n");
}

void report(int signal, const siginfo_t& info) {
    writeToStderr("\n");
    writeToStderr(programName);
    writeToStderr(": crashed: ");
    for (const Crash& crash : kCrashes) {
        if (crash.signal == signal) {
            writeToStderr(crash.name);
        }
    }
    if (info.si_code > 0 && signal != SIGABRT) {
        writeToStderr(" (");
        sayHex(reinterpret_cast<std::uintptr_t>(info.si_addr));
        writeToStderr(")");
    }
    if (info.si_code == SI_USER) {
        writeToStderr(", sent by another process");
    }
    writeToStderr("\nThis is a bug in verbcast ");
    writeToStderr(kVersion);
    writeToStderr(". Please report it with the lines below, the command, and what happened before.\n");
    std::array<void*, kMaxFrames> frames{};
    const int count = ::backtrace(frames.data(), kMaxFrames);
    ::backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
    sayHowToReadIt(std::span(frames).first(static_cast<std::size_t>(count)));
}

void onCrash(int signal, siginfo_t* info, void* /*context*/) {
    const auto self = static_cast<pid_t>(::syscall(SYS_gettid));
    pid_t first = 0;
    if (reporter.compare_exchange_strong(first, self)) {
        ::alarm(kPatienceSeconds);
        report(signal, *info);
        ::alarm(0);
    } else if (first != self) {
        for (;;) {
            ::pause();  // the process ends with the first crash
        }
    }
    ::signal(signal, SIG_DFL);
    if (info->si_code <= 0) {
        ::syscall(SYS_tgkill, ::getpid(), self, signal);  // was sent, so it does not recur by itself
    }
}

[[noreturn]] void onTerminate() {
    if (const std::exception_ptr exception = std::current_exception()) {
        try {
            std::rethrow_exception(exception);
        } catch (const std::exception& error) {
            printToStderr("{}: internal error: uncaught exception: {}\n", programName,
                          cleanLine(error.what()));
        } catch (...) {
            printToStderr("{}: internal error: uncaught object that is not an exception\n", programName);
        }
    }
    std::abort();
}

}  // namespace

void reportCrashes(const char* program) {
    programName = program;
    if (VERBCAST_SANITIZED) {
        return;  // sanitizers report crashes themselves
    }
    void* loads = nullptr;
    ::backtrace(&loads, 1);
    static std::array<std::byte, kStackBytes> memory;
    stack_t stack{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    ::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = &onCrash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGALRM);
    for (const Crash& crash : kCrashes) {
        ::sigaction(crash.signal, &action, nullptr);
    }
    std::set_terminate(&onTerminate);
}

}  // namespace verbcast
