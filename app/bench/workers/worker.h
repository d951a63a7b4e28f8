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
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "app/bench/report/bench_report.h"
#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"
#include "core/stats/stream_stats.h"

/// Null is nullopt.
template <typename T>
struct nlohmann::adl_serializer<std::optional<T>> {
    static void to_json(json& json, const std::optional<T>& value) {
        json = value ? nlohmann::json(*value) : nlohmann::json(nullptr);
    }
    static void from_json(const json& json, std::optional<T>& value) {
        value = json.is_null() ? std::nullopt : std::optional(json.get<T>());
    }
};

namespace verbcast {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Rational, numerator, denominator)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PictureSize, width, height)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CpuUse, userSeconds, systemSeconds, voluntarySwitches, involuntarySwitches,
                                   systemCalls)

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

/// Runs the role of that name as the main function of a worker process; returns its exit code. Throws
/// Error{Usage} for an unknown one.
int runWorkerRole(std::span<const std::pair<std::string_view, WorkerRole>> roles, const std::string& name);
/// The same for the roles of the headless program.
int runWorker(const WorkerOptions& options);

/// Ends a child process (SIGTERM, after two seconds SIGKILL) and reaps it.
void endChild(pid_t child);

/// This process's resource use so far.
CpuUse cpuUseNow();
/// `use` and `factor` times `more`.
CpuUse plus(const CpuUse& use, const CpuUse& more, double factor = 1);
inline CpuUse operator-(const CpuUse& later, const CpuUse& earlier) {
    return plus(later, earlier, -1);
}
/// How often each byte of a stream's frames was copied.
double copiesPerFrame(std::uint64_t copiedBytes, const StreamStats& stats);

/// Threads that keep processors busy while this lives.
class Burners {
  public:
    explicit Burners(std::uint32_t count);

  private:
    std::vector<std::jthread> threads_;
};

}  // namespace verbcast
