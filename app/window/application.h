// What every window of ours begins with.
#pragma once

class QApplication;

namespace verbcast {

enum class VerticalSync {
    On,   ///< a picture is shown whole, and painting waits for the screen
    Off,  ///< painting waits for nothing: for small pictures beside other things
};

/// Before the QApplication is made: the OpenGL that its windows ask for.
void requestOpenGl(VerticalSync sync);
/// After: names, for the desktop and the settings, and the theme.
void nameApplication(QApplication& application);

}  // namespace verbcast
