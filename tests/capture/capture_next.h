// The next picture of a source that paces itself, however long it takes.
#pragma once

#include "capture/frame_source.h"

namespace verbcast::testing {

/// Calls capture() again as long as there is nothing yet; returns what it returns then.
template <typename Source, typename... More>
Status captureNext(Source& source, CapturedFrame& frame, const Event& cancel, const More&... more) {
    Status status = Status::TimedOut;
    while (status == Status::TimedOut) {
        status = source.capture(frame, cancel, more...);
    }
    return status;
}

}  // namespace verbcast::testing
