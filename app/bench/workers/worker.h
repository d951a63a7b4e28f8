// The second and third process of a benchmark: this program again, in a role of its own.
//
// A worker gets its job as one line of JSON on standard input and answers with lines of JSON on standard
// output:
// {"progress": ...} any number of times, and last {"result": ...} or {"error": {"kind", "message",
// "remedy"}}. It ends by itself when its parent is gone (PR_SET_PDEATHSIG) and, with what it has, on SIGINT.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "app/bench/report/bench_report.h"
#include "core/base/event.h"
#include "core/base/unique_fd.h"

namespace verbcast {

class Worker {
  public:
    /// Starts `program` ("" for this very program) as `bench-worker ROLE`. Throws Error{Resource}.
    Worker(const std::string& program, const std::string& role, const nlohmann::json& job);
    /// Ends the process if it still runs (SIGTERM, then SIGKILL) and waits for it.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Waits for the next progress line: its value; null when the result is there or the time is over.
    nlohmann::json progress(std::chrono::nanoseconds timeout);
    /// Waits for the next progress line. Throws like result() when there is none.
    void awaitProgress();
    /// The result is there: result() does not wait.
    bool finished() const { return !last_.is_null(); }
    /// Waits for the result. Throws the worker's own error, or Error{Internal} when it died or the time is
    /// over.
    nlohmann::json result(std::chrono::nanoseconds timeout);
    /// Asks it to come to an end with what it has (SIGINT).
    void interrupt();

  private:
    bool readLine(std::string& line, std::chrono::nanoseconds timeout);

    std::string role_;
    pid_t pid_ = -1;
    UniqueFd output_;
    std::string buffer_;
    nlohmann::json last_;
};

/// For a worker's next line. Opening a source and OpenGL takes moments; only a failure waits so long.
inline constexpr std::chrono::seconds kWorkerPatience{60};

/// How often a worker tells how far it is.
inline constexpr std::int64_t kWorkerProgressNs = 250'000'000;

/// What a role does: from its job to its result; `emit` writes a progress line.
using WorkerEmit = std::function<void(const nlohmann::json&)>;
using WorkerRole = nlohmann::json (*)(const nlohmann::json& job, const WorkerEmit& emit);

/// Runs a role as the body of a worker process; returns its exit code.
int runWorkerRole(WorkerRole role);
/// The headless program's roles by name. Error{Usage} for an unknown one.
int runWorker(const WorkerOptions& options);

/// This process's use of processors since the other reading.
CpuUse cpuUseNow();
CpuUse operator-(const CpuUse& later, const CpuUse& earlier);
nlohmann::json toJson(const CpuUse& use);
CpuUse cpuUseFromJson(const nlohmann::json& json);

/// Threads that keep processors busy for as long as this lives.
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
