// Which programs of other packages a test lacks.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <span>
#include <sstream>
#include <string>

namespace verbcast::testing {

/// The file that starts as `program`: a name that is looked for in PATH, or an absolute path. "" if there is
/// none.
inline std::string installedFile(const std::string& program) {
    if (program.starts_with('/')) {
        return ::access(program.c_str(), X_OK) == 0 ? program : "";
    }
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (std::string file = folder + "/" + program; ::access(file.c_str(), X_OK) == 0) {
            return file;
        }
    }
    return {};
}

inline bool isInstalled(const std::string& program) {
    return !installedFile(program).empty();
}

/// " weston wtype"; "" if all are installed.
inline std::string missingOf(std::span<const char* const> programs) {
    std::string missing;
    for (const char* const program : programs) {
        missing += isInstalled(program) ? "" : std::string(" ") + program;
    }
    return missing;
}

}  // namespace verbcast::testing
