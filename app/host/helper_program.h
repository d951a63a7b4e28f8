// The programs installed beside this one: verbcast-window (Qt), verbcast-gl (OpenGL, no Qt) and verbcast-kms
// (displays without a desktop). They are separate processes so that everything else runs without Qt and
// OpenGL on the machine.
#pragma once

#include <string>
#include <vector>

namespace verbcast {

/// Path of one of our programs by name: beside this one, in its libexec folder, or, from there, in bin. "" if
/// there is none.
std::string helperProgram(const std::string& name);

/// Likewise for one of our libraries, which need not be executable.
std::string helperLibrary(const std::string& name);

/// Path of the folder of documents of this installation; "" if there is none.
std::string documentFolder();

/// What to do about a missing program or library of ours, which `target` builds: install it, or, from where
/// it was built, the command that builds it.
std::string remedyForMissing(const std::string& target);

/// Returns what `NAME ARGUMENTS` prints on standard output, without trailing newlines; "" if it cannot be run
/// or fails. Waits for the program to end, at most a minute.
std::string askProgram(const std::string& name, const std::vector<std::string>& arguments);

/// Replaces this process by verbcast-window with the same arguments. Throws Error{Display} if it is not
/// installed.
[[noreturn]] void becomeWindow(char** argv);

/// Likewise for verbcast-gl.
[[noreturn]] void becomeGl(char** argv);
/// Likewise for verbcast-kms.
[[noreturn]] void becomeKms(char** argv);

}  // namespace verbcast
