// Checks that a window can open here, before Qt would abort the program.
#pragma once

#include <memory>

class QOpenGLContext;
class QSurface;

namespace verbcast {

/// Throws Error{Display} if the environment names no display. Also makes Qt's own fatal messages (a display
/// that does not answer, a missing platform plugin) end the program with that error's text and exit code
/// instead of abort(). `remedy`, a string literal, says what to do without a display.
void requireDisplay(const char* remedy);

/// Returns a context of the default format, current on `surface`. Throws Error{Display} without OpenGL 3.3
/// core or later.
std::unique_ptr<QOpenGLContext> makeOpenGlContext(QSurface& surface);

}  // namespace verbcast
