// The main window's settings as a JSON file.
#pragma once

#include <string>

#include "app/window/settings/session.h"

namespace verbcast {

/// Every key is written; a reader takes the default for a missing one.
std::string sessionText(const Session& session);

/// `name` is said in errors. Throws Error{Input} that names the line of what is no JSON, and the key of what
/// is unknown or has the wrong type or value.
Session sessionFromText(const std::string& text, const std::string& name);

/// Throws Error{Input} also for a file that cannot be read.
Session readSession(const std::string& path);
/// Throws as writeWhole() does.
void writeSession(const std::string& path, const Session& session);

}  // namespace verbcast
