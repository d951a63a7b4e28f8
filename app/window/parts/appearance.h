// Dark or light: what the user has chosen, for all windows.
#pragma once

class QApplication;

namespace verbcast {

enum class Appearance { System, Dark, Light };

/// Shows the application as was chosen, and follows the desktop where that was. GUI thread, once.
void beginAppearance(QApplication& application);

/// As kept in the settings.
Appearance chosenAppearance();
/// Keeps it, and shows this process's windows so.
void chooseAppearance(Appearance appearance);

}  // namespace verbcast
