// Saves pictures of the stream as PNG files.
#pragma once

#include <QDateTime>
#include <QString>
#include <cstdint>

#include "render/stream_renderer.h"

namespace verbcast {

/// "verbcast-20240131-235959-frame42.png"
QString snapshotName(const QDateTime& when, std::uint64_t sequence);

/// Writes a new file of that name; if it exists, adds "-2", "-3", ... before ".png". Returns the path. Throws
/// Error{Usage} if the folder is not writable. Thread-safe; takes about a second for 4K.
QString saveNewPng(const RgbaImage& image, const QString& folder, const QString& name);

/// Writes a temporary file and renames it, replacing an existing one. Throws Error{Usage}.
void savePng(const RgbaImage& image, const QString& path);

}  // namespace verbcast
