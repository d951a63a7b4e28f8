// Finds out whether a window can work here, before Qt would abort the program.
#pragma once

#include <memory>

class QOpenGLContext;
class QSurface;

namespace verbcast {

/// Throws Error{Display} when the environment names no display. Also makes Qt's own fatal messages (a display
/// that does not answer, a missing platform plugin) end the program with that error's text and exit code
/// instead of abort(). `remedy`, a literal, says what to do without one.
void requireDisplay(const char* remedy);

/// A context of the default format, current on `surface`. Throws Error{Display} when there is no OpenGL 3.3
/// core or later.
std::unique_ptr<QOpenGLContext> makeOpenGlContext(QSurface& surface);

}  // namespace verbcast
