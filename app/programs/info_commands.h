// verbcast formats, devices and --version.
#pragma once

#include <string>

namespace verbcast {

/// Both print to standard output and return the exit code.
int listFormats();
int listDevices();
std::string versionText();

}  // namespace verbcast
