// The command line of `verbcast doctor`.
#pragma once

#include <string>

#include "app/cli/cli11.h"
#include "app/cli/trust/trust_options.h"
#include "app/doctor/machine/doctor_options.h"

namespace verbcast {

/// Adds `doctor` to a program's options. Must live until finish().
class DoctorCommandLine {
  public:
    explicit DoctorCommandLine(CLI::App& app);
    bool parsed() const;
    DoctorOptions finish() const;

  private:
    CLI::App* doctor_;
    TrustOptions trust_;
    std::string url_, size_, format_, fps_;
    bool json_ = false, strict_ = false;
};

}  // namespace verbcast
