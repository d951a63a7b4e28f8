#include "app/bench/bench_modes.h"
#include "app/bench/bench_roles.h"
#include "app/bench/report_output.h"
#include "core/base/error.h"

namespace verbcast {

int runCompare(const CompareOptions&) {
    throw Error(ErrorKind::Internal, "not built yet");
}

}  // namespace verbcast
