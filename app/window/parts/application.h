// What every window of ours begins with.
#pragma once

#include "app/window/parts/colours.h"

class QApplication;

namespace verbcast {

enum class VerticalSync {
    On,   ///< a picture is shown whole, and painting waits for the screen
    Off,  ///< painting waits for nothing: for small pictures beside other things
};

/// Before the QApplication is made: the OpenGL that its windows ask for.
void requestOpenGl(VerticalSync sync);
/// After that: buffers for either eye, too, where the display has them.
void requestStereo();
/// After: names, for the desktop and the settings, the language, and the colours that the user or the desktop
/// wants.
void nameApplication(QApplication& application);
/// The same, but always in these colours, whatever the desktop or the settings say.
void nameApplication(QApplication& application, const theme::Colours& colours);

}  // namespace verbcast
