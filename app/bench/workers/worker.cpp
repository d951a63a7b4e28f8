#include "app/bench/workers/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <utility>
#include <vector>

#include "app/host/interrupt.h"
#include "app/host/process.h"
#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/base/os/standard_streams.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr const char* kSubcommand = "bench-worker";

/// Counts only reads and writes ("syscr", "syscw"); stock kernels do not export the count of all system
/// calls.
std::optional<std::uint64_t> systemCallsSoFar() {
    std::ifstream file("/proc/self/io");
    std::string key;
    std::uint64_t value = 0;
    std::uint64_t total = 0;
    bool found = false;
    while (file >> key >> value) {
        if (key == "syscr:" || key == "syscw:") {
            total += value;
            found = true;
        }
    }
    return found ? std::optional(total) : std::nullopt;
}

ErrorKind errorKindFrom(int code) {
    return code >= static_cast<int>(ErrorKind::Internal) && code <= static_cast<int>(ErrorKind::Corrupt)
               ? static_cast<ErrorKind>(code)
               : ErrorKind::Internal;
}

}  // namespace

Worker::Worker(const std::string& program, const std::string& role, const nlohmann::json& job) : role_(role) {
    const Pipe toWorker = makePipe("a benchmark worker");
    Pipe fromWorker = makePipe("a benchmark worker");
    output_ = std::move(fromWorker.reading);
    // A signal may wake readLine() with nothing to read: it must not block then.
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    const std::string path = program.empty() ? "/proc/self/exe" : program;
    const int code = spawn(pid_, path, {"verbcast", kSubcommand, role},
                           {.input = toWorker.reading.get(), .output = fromWorker.writing.get()});
    if (code != 0) {
        throwErrno(ErrorKind::Resource, "starting", path, code);
    }
    // A job is far smaller than a pipe's buffer, so this does not wait for the worker.
    const std::string line = job.dump() + "\n";
    if (::write(toWorker.writing.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
        throw Error(ErrorKind::Internal, "the benchmark's " + role + " did not take its job");
    }
}

Worker::~Worker() {
    output_.reset();
    endChild(pid_);
}

void Worker::interrupt() {
    ::kill(pid_, SIGINT);
}

bool Worker::readLine(std::string& line, std::chrono::nanoseconds timeout) {
    const Deadline deadline = Deadline::in(timeout);
    for (;;) {
        if (const auto end = buffer_.find('\n'); end != std::string::npos) {
            line = buffer_.substr(0, end);
            buffer_.erase(0, end + 1);
            return true;
        }
        if (deadline.passed() || !waitReadable({output_.get()}, deadline)) {
            return false;
        }
        std::array<char, 4096> chunk;
        const ssize_t got = ::read(output_.get(), chunk.data(), chunk.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) {  // woken by a signal: nothing to read
            continue;
        }
        if (got <= 0) {
            throw Error(ErrorKind::Internal, "the benchmark's " + role_ + " ended without a result");
        }
        buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

nlohmann::json Worker::progress(std::chrono::nanoseconds timeout) {
    std::string line;
    if (!last_.is_null() || !readLine(line, timeout)) {
        return nullptr;
    }
    nlohmann::json value = nlohmann::json::parse(line);
    if (value.contains("progress")) {
        return value["progress"];
    }
    last_ = std::move(value);
    return nullptr;
}

void Worker::awaitProgress() {
    if (progress(kWorkerPatience).is_null()) {
        result(0s);
    }
}

nlohmann::json Worker::result(std::chrono::nanoseconds timeout) {
    const Deadline deadline = Deadline::in(timeout);
    while (last_.is_null()) {
        if (deadline.passed()) {
            throw Error(ErrorKind::Internal, "the benchmark's " + role_ + " does not come to an end");
        }
        progress(deadline.left());
    }
    if (last_.contains("error")) {
        const auto& error = last_["error"];
        throw Error(errorKindFrom(error.value("kind", 1)), error.value("message", "unknown error"),
                    error.value("remedy", ""));
    }
    return last_["result"];
}

int runWorkerRole(std::span<const std::pair<std::string_view, WorkerRole>> roles, const std::string& name) {
    const auto known = std::ranges::find(roles, name, &std::pair<std::string_view, WorkerRole>::first);
    if (known == roles.end()) {
        throw Error(ErrorKind::Usage, "bench-worker " + name + ": no such role",
                    "this command is the benchmark's own; use verbcast bench");
    }
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // Worker::interrupt() must be heard, even if a script's "&" started the program.
    ::signal(SIGINT, SIG_DFL);
    installInterruptHandler();
    std::string line;
    std::getline(std::cin, line);
    const auto print = [](const nlohmann::json& value) {
        writeToStdout(value.dump() + "\n");
        flushStdout();
    };
    try {
        const WorkerEmit emit = [&](const nlohmann::json& value) { print({{"progress", value}}); };
        print({{"result", known->second(nlohmann::json::parse(line), emit)}});
        return 0;
    } catch (const Error& error) {
        print(
            {{"error", {{"kind", error.exitCode()}, {"message", error.what()}, {"remedy", error.remedy()}}}});
        return error.exitCode();
    } catch (const std::exception& error) {
        print({{"error", {{"kind", 1}, {"message", error.what()}, {"remedy", ""}}}});
        return 1;
    }
}

void endChild(pid_t child) {
    ::kill(child, SIGTERM);
    for (int i = 0; i < 200; ++i) {
        if (::waitpid(child, nullptr, WNOHANG) != 0) {
            return;
        }
        std::this_thread::sleep_for(10ms);
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

CpuUse cpuUseNow() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return {.userSeconds = seconds(usage.ru_utime),
            .systemSeconds = seconds(usage.ru_stime),
            .voluntarySwitches = static_cast<std::uint64_t>(usage.ru_nvcsw),
            .involuntarySwitches = static_cast<std::uint64_t>(usage.ru_nivcsw),
            .systemCalls = systemCallsSoFar()};
}

CpuUse plus(const CpuUse& use, const CpuUse& more, double factor) {
    const auto count = [factor](std::uint64_t one, std::uint64_t other) {
        return static_cast<std::uint64_t>(
            std::max(0.0, static_cast<double>(one) + factor * static_cast<double>(other)));
    };
    return {.userSeconds = use.userSeconds + factor * more.userSeconds,
            .systemSeconds = use.systemSeconds + factor * more.systemSeconds,
            .voluntarySwitches = count(use.voluntarySwitches, more.voluntarySwitches),
            .involuntarySwitches = count(use.involuntarySwitches, more.involuntarySwitches),
            .systemCalls = more.systemCalls
                               ? std::optional(count(use.systemCalls.value_or(0), *more.systemCalls))
                               : use.systemCalls};
}

double copiesPerFrame(std::uint64_t copiedBytes, const StreamStats& stats) {
    return stats.bytes > 0 ? static_cast<double>(copiedBytes) / static_cast<double>(stats.bytes) : 0;
}

Burners::Burners(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        threads_.emplace_back([](const std::stop_token& stop) {
            for (volatile std::uint64_t n = 0; !stop.stop_requested();) {
                n = n + 1;
            }
        });
    }
}

}  // namespace verbcast
