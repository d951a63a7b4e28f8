// Pictures of the stream as PNG files.
#pragma once

#include <QDateTime>
#include <QString>
#include <cstdint>

#include "render/stream_renderer.h"

namespace verbcast {

/// "verbcast-20240131-235959-frame42.png"
QString snapshotName(const QDateTime& when, std::uint64_t sequence);

/// Where snapshots go: the user's pictures folder if there is one that can be written, else the current
/// folder.
QString snapshotFolder();

/// Writes a new file of that name in the folder; where one exists, "-2", "-3", ... is added before ".png".
/// Returns the path. Throws Error{Usage} when the folder cannot be written. Any thread; takes about a second
/// for 4K.
QString saveNewPng(const RgbaImage& image, const QString& folder, const QString& name);

/// Writes the file aside and renames it, replacing one that exists. Throws Error{Usage}.
void savePng(const RgbaImage& image, const QString& path);

}  // namespace verbcast
