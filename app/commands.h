// The commands that need no window. Each returns the exit code and throws Error for what cannot work.
#pragma once

#include <string>

#include "app/command_line.h"

namespace verbcast {

int runSend(const SendOptions& options);
int runRelay(const RelayOptions& options);
int runHeadlessView(const ViewOptions& options);
int listFormats();
int listDevices();
std::string versionText();

}  // namespace verbcast
