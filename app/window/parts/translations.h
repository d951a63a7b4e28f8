// The language of the windows.
#pragma once

class QApplication;

namespace verbcast {

/// Sets the first of the user's languages (LANGUAGE, LC_ALL, LC_MESSAGES, LANG) that has a translation; else
/// English. Call before any window is made. Standard error, files and output for other programs stay English.
void translateWindows(QApplication& application);

}  // namespace verbcast
