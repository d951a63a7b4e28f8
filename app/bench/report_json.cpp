#include "app/bench/bench_modes.h"
#include "app/bench/bench_roles.h"
#include "app/bench/report_output.h"
#include "core/base/error.h"

namespace verbcast {

nlohmann::ordered_json reportJson(const BenchReport&) {
    throw Error(ErrorKind::Internal, "not built yet");
}
void writeWhole(const std::string&, const std::string&) {
    throw Error(ErrorKind::Internal, "not built yet");
}

}  // namespace verbcast
