// Whether somebody else moves and sizes our windows.
#pragma once

namespace verbcast {

/// False only on an X11 display without a window manager (a bare kiosk or virtual display): there a window
/// that wants to fill the screen has to size itself. Asks the X server once per call. Needs a
/// QGuiApplication.
bool windowManagerRuns();

}  // namespace verbcast
