// Worker processes of a benchmark: this program again, in another role.
//
// A worker gets its job as one line of JSON on standard input and answers with lines of JSON on standard
// output: {"progress": ...} any number of times, and last {"result": ...} or {"error": {"kind", "message",
// "remedy"}}. It ends when its parent is gone (PR_SET_PDEATHSIG) and, with the results so far, on SIGINT.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "app/bench/report/bench_report.h"
#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

class Worker {
  public:
    /// Starts `program` ("": this program) as `bench-worker ROLE`. Throws Error{Resource}.
    Worker(const std::string& program, const std::string& role, const nlohmann::json& job);
    /// Ends the process if it still runs (SIGTERM, then SIGKILL) and reaps it.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Waits for the next progress line and returns its value; null if the result has come or the time is
    /// over.
    nlohmann::json progress(std::chrono::nanoseconds timeout);
    /// Waits for the next progress line. Throws as result() does if there is none.
    void awaitProgress();
    /// True if the result has come: result() will not wait.
    bool finished() const { return !last_.is_null(); }
    /// Waits for the result. Throws the worker's own error, or Error{Internal} if it died or the time is
    /// over.
    nlohmann::json result(std::chrono::nanoseconds timeout);
    /// Asks it to end with the results so far (SIGINT).
    void interrupt();

  private:
    bool readLine(std::string& line, std::chrono::nanoseconds timeout);

    std::string role_;
    pid_t pid_ = -1;
    UniqueFd output_;
    std::string buffer_;
    nlohmann::json last_;
};

/// Time limit for a worker's next line. Opening a source and OpenGL takes moments; only failures take this
/// long.
inline constexpr std::chrono::seconds kWorkerPatience{60};

/// Interval between a worker's progress lines.
inline constexpr std::int64_t kWorkerProgressNs = 250'000'000;

/// A role: takes its job and returns its result; `emit` writes a progress line.
using WorkerEmit = std::function<void(const nlohmann::json&)>;
using WorkerRole = nlohmann::json (*)(const nlohmann::json& job, const WorkerEmit& emit);

/// Runs a role as the main function of a worker process; returns its exit code.
int runWorkerRole(WorkerRole role);
/// Runs a role of the headless program by name. Throws Error{Usage} for an unknown one.
int runWorker(const WorkerOptions& options);

/// This process's resource use so far.
CpuUse cpuUseNow();
CpuUse operator-(const CpuUse& later, const CpuUse& earlier);
nlohmann::json toJson(const CpuUse& use);
CpuUse cpuUseFromJson(const nlohmann::json& json);

/// Threads that keep processors busy while this lives.
class Burners {
  public:
    explicit Burners(std::uint32_t count);
    ~Burners();
    Burners(const Burners&) = delete;
    Burners& operator=(const Burners&) = delete;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace verbcast
