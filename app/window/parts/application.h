// Set-up that all our windows share.
#pragma once

#include "app/window/style/colours.h"

class QApplication;

namespace verbcast {

enum class VerticalSync {
    On,   ///< no tearing; painting waits for the screen
    Off,  ///< painting does not wait: for small pictures beside other widgets
};

/// Call before the QApplication exists: requests the OpenGL that its windows need.
void requestOpenGl(VerticalSync sync);
/// Call after requestOpenGl(): also requests a buffer for each eye, if the display has them.
void requestStereo();
/// Call after constructing `application`: sets its names for the desktop and the settings, its language, and
/// the colours that the user or the desktop chose.
void nameApplication(QApplication& application);
/// The same, but always with these colours.
void nameApplication(QApplication& application, const theme::Colours& colours);

}  // namespace verbcast
