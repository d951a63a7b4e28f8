// The commands that need no window. Each returns the exit code and throws Error for what cannot work.
#pragma once

#include <string>

#include "app/command_line.h"

namespace verbcast {

int runSend(const SendOptions& options);
int runHeadlessView(const ViewOptions& options);
int listFormats();
int listDevices();
std::string versionText();

/// Replaces this process by verbcast-window with the same arguments. Throws Error{Display} when it is not
/// installed.
[[noreturn]] void becomeWindow(char** argv);
/// Path of verbcast-window, beside this program or in libexec; "" when there is none.
std::string windowProgram();
/// What `verbcast-window ARGUMENT` prints, or "" when it cannot be run.
std::string askWindowProgram(const std::string& argument);

}  // namespace verbcast
