// The command line of `verbcast doctor`.
#pragma once

#include <optional>

#include "app/cli/options/command.h"
#include "app/cli/stream_options.h"
#include "app/commands/doctor/machine/doctor_options.h"

namespace verbcast {

/// Adds `doctor` to the commands. Must live until finish().
class DoctorCommandLine {
  public:
    explicit DoctorCommandLine(Command& verbcast);
    DoctorCommandLine(const DoctorCommandLine&) = delete;
    DoctorCommandLine& operator=(const DoctorCommandLine&) = delete;

    bool parsed() const { return doctor_.chosen; }
    DoctorOptions finish() const;

  private:
    void addJson();

    Command& doctor_;
    DoctorOptions options_;
    std::optional<SessionAddress> peer_;
    TrustChoice trust_;
};

}  // namespace verbcast
