// The doctor's findings as lines for a person, or as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/doctor/verdict.h"

namespace verbcast {

/// One line, and a second one with the remedy if there is one. Control characters, which a peer or a device
/// might have in its name, are replaced.
std::string checkText(const Check& check, bool colours);

/// Schema "verbcast-doctor/1".
nlohmann::ordered_json doctorJson(const DoctorOptions& options, const StreamNeed& need, const Checks& checks,
                                  const Verdict& verdict, int exitCode);

/// Standard output is a terminal that shows colours, and NO_COLOR is not set.
bool coloursWanted();

}  // namespace verbcast
