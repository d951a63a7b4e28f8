// The command line of `verbcast bench`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/bench/report/bench_options.h"
#include "app/cli/cli11.h"

namespace verbcast {

/// Adds `bench` and its subcommands to a program's options. Must live until finish().
class BenchCommandLine {
  public:
    explicit BenchCommandLine(CLI::App& app);
    bool parsed() const;
    /// Throws Error{Usage} for options that contradict each other or would have no effect.
    std::variant<BenchOptions, CompareOptions> finish() const;

  private:
    struct Raw {
        std::vector<std::string> transports, sizes, formats, pin, compare;
        std::string fps, frames, seconds, damage, verify = "full", memory = "host", numa = "auto";
        std::uint32_t slots = 8, repeat = 1, load = 0;
        std::optional<std::uint32_t> streams;
        std::uint32_t viewers = BenchOptions{}.viewers, slow = BenchOptions{}.slowViewers;
        std::string source, device, json, html;
        bool poll = false, encrypt = false, readBack = false, input = false, quiet = false, intoOne = false;
    };
    void addCommon(CLI::App& command);
    CLI::App* addMode(const char* name, const char* summary, BenchMode mode);
    bool given(const std::string& option) const;
    void checkEffects(BenchMode mode) const;
    void checkCompareAlone() const;

    Raw raw_;
    CLI::App* bench_;
    std::vector<std::pair<CLI::App*, BenchMode>> modes_;
};

}  // namespace verbcast
