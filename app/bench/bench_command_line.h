// The command line of `verbcast bench` and `verbcast doctor`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "app/bench/bench_options.h"
#include "app/doctor/doctor.h"
#include "app/trust_options.h"

namespace verbcast {

/// Adds `bench` and its subcommands to a program's options. Lives until finish().
class BenchCommandLine {
  public:
    explicit BenchCommandLine(CLI::App& app);
    bool parsed() const { return bench_->parsed(); }
    /// Throws Error{Usage} for what does not fit together.
    std::variant<BenchOptions, CompareOptions> finish() const;

  private:
    struct Raw {
        std::vector<std::string> transports, sizes, formats, pin, compare;
        std::string fps = "max", frames, seconds, verify = "full";
        std::uint32_t slots = 8, repeat = 1, load = 0, streams = 4;
        std::string source, device, json, html;
        bool poll = false, encrypt = false, readBack = false, input = false, quiet = false;
    };
    void addCommon(CLI::App& command);
    CLI::App* addMode(const char* name, const char* summary, BenchMode mode);

    Raw raw_;
    CLI::App* bench_;
    std::vector<std::pair<CLI::App*, BenchMode>> modes_;
};

class DoctorCommandLine {
  public:
    explicit DoctorCommandLine(CLI::App& app);
    bool parsed() const { return doctor_->parsed(); }
    DoctorOptions finish() const;

  private:
    CLI::App* doctor_;
    TrustOptions trust_;
    std::string url_, size_, format_, fps_;
    bool json_ = false;
};

}  // namespace verbcast
