// The command line of `verbcast bench`.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/bench/report/bench_options.h"
#include "app/cli/options/command.h"

namespace verbcast {

/// Adds `bench` and its commands. Must live until finish().
class BenchCommandLine {
  public:
    explicit BenchCommandLine(Command& verbcast);
    bool parsed() const { return bench_.chosen; }
    /// Throws Error{Usage} for options that contradict each other or would have no effect.
    std::variant<BenchOptions, CompareOptions> finish() const;

  private:
    void addModes();
    void addStages(Command& stages);
    void addAv(Command& av);
    void addCommon(Command& command, std::optional<BenchMode> mode);
    Command& addMode(const char* name, const char* summary, BenchMode mode);
    bool given(const std::string& option) const;
    void checkEffects(BenchMode mode) const;
    void checkCompareAlone() const;
    void checkAv(const BenchOptions& options) const;
    void finishMeasured(BenchOptions& options) const;

    std::vector<std::string> compare_;
    std::optional<std::chrono::nanoseconds> seconds_;
    std::optional<std::uint32_t> streams_;
    BenchOptions options_;
    Command& bench_;
    std::vector<std::pair<Command*, BenchMode>> modes_;
};

}  // namespace verbcast
