// verbcast doctor: checks whether this machine can stream.
#pragma once

#include "app/commands/doctor/machine/doctor_options.h"

namespace verbcast {

/// Prints a line for each check and a verdict. Returns doctorExitCode().
int runDoctor(const DoctorOptions& options);

}  // namespace verbcast
