#include "app/cli/run_main.h"

#include <csignal>

#include "app/cli/report_error.h"
#include "app/host/crash_report.h"
#include "app/host/process.h"
#include "core/base/log/log.h"
#include "core/base/os/standard_streams.h"

namespace verbcast {

int runMain(const char* program, const std::function<int()>& body) {
    reserveStandardStreams();
    reportCrashes(program);
    ignoreHere(SIGXFSZ);
    try {
        logToStderr();
        const int exitCode = body();
        flushStdout();
        return exitCode;
    } catch (...) {
        return reportCurrentError();
    }
}

}  // namespace verbcast
