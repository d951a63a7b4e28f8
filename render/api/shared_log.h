// libverbcast-gl has its own log, because it contains the core a second time.
#pragma once

namespace verbcast {

/// Redirects this library's messages to libverbcast's log: vc_set_log(). Thread-safe; may be called
/// repeatedly. Throws std::bad_alloc.
void shareLogWithLibverbcast();

}  // namespace verbcast
