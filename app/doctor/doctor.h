// verbcast doctor: what stands between this machine and a stream.
#pragma once

#include "app/doctor/machine/doctor_options.h"

namespace verbcast {

/// Prints one line for each check and a verdict. Returns 0 when all is well, 1 with warnings, 2 when this
/// machine cannot stream.
int runDoctor(const DoctorOptions& options);

}  // namespace verbcast
