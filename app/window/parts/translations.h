// The language of the windows.
#pragma once

class QApplication;

namespace verbcast {

/// Lets the windows speak the first of the user's languages (LANGUAGE, LC_ALL, LC_MESSAGES, LANG) that there
/// is a translation for; English where there is none. Before any window is made. What goes to standard error,
/// files and other programs stays English.
void translateWindows(QApplication& application);

}  // namespace verbcast
