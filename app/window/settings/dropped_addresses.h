// Finds sender addresses in data dropped onto a window.
#pragma once

#include <QMimeData>
#include <QStringList>

namespace verbcast {

/// Takes the addresses from a list of URIs, else from text, separated by white space. Not validated; empty if
/// nothing could be an address.
QStringList droppedAddresses(const QMimeData& data);
/// The path of a local file that was dropped: "file:///films/a%20b.mp4" or "/films/a b.mp4"; "": it is none.
QString droppedFile(const QString& dropped);

}  // namespace verbcast
