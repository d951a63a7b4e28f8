// verbcast formats, devices and --version.
#pragma once

#include <string>

namespace verbcast {

/// Both write to standard output and give the exit code.
int listFormats();
int listDevices();
std::string versionText();

}  // namespace verbcast
