// Tells whether a window manager moves and sizes our windows.
#pragma once

namespace verbcast {

/// False only on an X11 display without a window manager (a bare kiosk or virtual display): there a window
/// that is to fill the screen must size itself. Asks the X server at each call. Needs a QGuiApplication.
bool windowManagerRuns();

}  // namespace verbcast
