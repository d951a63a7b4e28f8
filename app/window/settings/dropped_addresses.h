// What was dropped onto a window, as addresses of senders.
#pragma once

#include <QMimeData>
#include <QStringList>

namespace verbcast {

/// Those of a list of URIs, else of a text: one or several with white space between them. Not checked; empty
/// when there is nothing that could be one.
QStringList droppedAddresses(const QMimeData& data);

}  // namespace verbcast
