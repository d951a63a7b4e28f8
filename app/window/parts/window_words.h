// Rephrases command-line messages in the windows' words.
#pragma once

#include <QString>

#include "app/window/parts/message_overlay.h"

namespace verbcast {

/// Replaces options by names of fields and drops what is said about commands.
QString inWindowWords(QString text);
/// Also drops advice that no window can follow: of "use tcp://, or see "verbcast devices"" the first half
/// stays.
Message inWindowWords(Message message);

/// Whether the line is logInvitation()'s: windows show its code themselves, and not longer than it is good.
bool isInvitation(const QString& line);

}  // namespace verbcast
