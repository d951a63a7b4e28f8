// The user's choice of a dark or light appearance, for all windows.
#pragma once

class QApplication;

namespace verbcast {

enum class Appearance { System, Dark, Light };

/// Applies the chosen appearance and, if that is System, follows the desktop. GUI thread; call once.
void beginAppearance(QApplication& application);

/// From the settings.
Appearance chosenAppearance();
/// Stores the choice and applies it to this process's windows.
void chooseAppearance(Appearance appearance);

}  // namespace verbcast
