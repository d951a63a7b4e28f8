// Finds the OpenGL context of the program that uses the library.
#pragma once

namespace verbcast {

/// The context current on this thread, by EGL or GLX; null if none. Asks the libraries that the program has
/// loaded, because libepoxy aborts the process if there is none.
const void* currentContext();

/// Throws Error{Usage} if none is current, Error{Display} if it is too old.
void requireOpenGl();

}  // namespace verbcast
