// Finds sender addresses in data dropped onto a window.
#pragma once

#include <QMimeData>
#include <QStringList>

namespace verbcast {

/// Takes the addresses from a list of URIs, else from text, separated by white space. Not validated; empty if
/// nothing could be an address.
QStringList droppedAddresses(const QMimeData& data);

}  // namespace verbcast
