// libverbcast-gl has a log of its own, since it holds the core a second time.
#pragma once

namespace verbcast {

/// From now on what this library has to say goes where libverbcast's messages go: vc_set_log(). Safe from any
/// thread, any number of times. Throws std::bad_alloc.
void shareLogWithLibverbcast();

}  // namespace verbcast
