#include "app/bench/workers/pinning.h"

#include <fmt/format.h>

#include <cerrno>

#include "core/base/error.h"

namespace verbcast {
namespace {

std::vector<int> allowedProcessors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> list;
    if (::sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int i = 0; i < CPU_SETSIZE; ++i) {
            if (CPU_ISSET(i, &set)) {
                list.push_back(i);
            }
        }
    }
    return list;
}

}  // namespace

void pinThread(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (processor >= 0 && processor < CPU_SETSIZE) {
        CPU_SET(processor, &set);
    }
    if (processor < 0 || ::sched_setaffinity(0, sizeof set, &set) == 0) {
        return;
    }
    throw Error(ErrorKind::Usage,
                fmt::format("--pin: processor {} cannot be used here: {}", processor, errnoText(errno)),
                fmt::format("this program may run on {}", fmt::join(allowedProcessors(), ",")));
}

PinnedThread::PinnedThread(int processor) {
    cpu_set_t before;
    if (processor >= 0 && ::sched_getaffinity(0, sizeof before, &before) == 0) {
        pinThread(processor);
        before_ = before;
    }
}

PinnedThread::~PinnedThread() {
    if (before_) {
        ::sched_setaffinity(0, sizeof *before_, &*before_);
    }
}

}  // namespace verbcast
