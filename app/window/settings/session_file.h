// The main window's settings as a JSON file.
#pragma once

#include <string>

#include "app/window/settings/session.h"

namespace verbcast {

/// Writes every key; a reader uses the default for a missing one.
std::string sessionText(const Session& session);

/// `name` appears in errors. Throws Error{Input} naming the line if the text is not JSON, or the key that is
/// unknown or has the wrong type or value.
Session sessionFromText(const std::string& text, const std::string& name);

/// Throws Error{Input} also if the file cannot be read.
Session readSession(const std::string& path);
/// Throws as writeWhole() does.
void writeSession(const std::string& path, const Session& session);

}  // namespace verbcast
