// The programs beside this one: verbcast-window (Qt), verbcast-gl (OpenGL, no Qt) and verbcast-kms (displays
// without a desktop). They are processes of their own, so that everything else runs without Qt and OpenGL on
// the machine.
#pragma once

#include <string>
#include <vector>

namespace verbcast {

/// Path of a program of ours by its name: beside this one, in its folder of libexec,
/// or, from there, in bin. "" when there
/// is none.
std::string helperProgram(const std::string& name);

/// What `NAME ARGUMENTS` prints on standard output, without the last line's end; "" when it cannot be run or
/// fails. Waits until the program ends, at most a minute.
std::string askProgram(const std::string& name, const std::vector<std::string>& arguments);

/// Replaces this process by verbcast-window with the same arguments. Throws Error{Display} when it is not
/// installed.
[[noreturn]] void becomeWindow(char** argv);

/// Likewise verbcast-gl.
[[noreturn]] void becomeGl(char** argv);
/// Likewise verbcast-kms.
[[noreturn]] void becomeKms(char** argv);

}  // namespace verbcast
