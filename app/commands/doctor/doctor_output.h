// Formats the doctor's findings as text or JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/commands/doctor/verdict.h"

namespace verbcast {

/// One line, plus one for the remedy if there is one. Replaces control characters, which names of peers or
/// devices might contain.
std::string checkText(const Check& check, bool colours);

/// Schema "verbcast-doctor/1".
nlohmann::ordered_json doctorJson(const DoctorOptions& options, const StreamNeed& need, const Checks& checks,
                                  const Verdict& verdict, int exitCode);

/// True if standard output is a terminal with colours and NO_COLOR is not set.
bool coloursWanted();

}  // namespace verbcast
