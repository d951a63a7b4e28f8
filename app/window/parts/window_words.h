// What the program says in the words of the command line, in those of the windows.
#pragma once

#include <QString>

#include "app/window/parts/message_overlay.h"

namespace verbcast {

/// Options become the names of fields, and what is said about commands is left out.
QString inWindowWords(QString text);
/// The same of a message. Advice that no window can follow is left out: of "use tcp://, or see "verbcast
/// devices"" the first half stays.
Message inWindowWords(Message message);

}  // namespace verbcast
