// The OpenGL context of the program that uses the library.
#pragma once

namespace verbcast {

/// The one that is current on this thread, by EGL or GLX; null for none. Asked of the libraries that the
/// program has loaded, since libepoxy ends the process when there is none.
const void* currentContext();

/// Throws Error{Usage} where none is current, Error{Display} where it is too old.
void requireOpenGl();

}  // namespace verbcast
