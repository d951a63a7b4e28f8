#include "app/cli/report_error.h"

#include <csignal>
#include <new>
#include <system_error>

#include "core/base/error.h"
#include "core/base/os/standard_streams.h"
#include "core/base/text/clean_text.h"

namespace verbcast {

int reportCurrentError() {
    try {
        throw;
    } catch (const Error& error) {
        printToStderr("verbcast: {}\n", cleanLine(error.what()));
        if (!error.remedy().empty()) {
            printToStderr("  try: {}\n", cleanLine(error.remedy()));
        }
        return error.exitCode();
    } catch (const std::bad_alloc&) {
        writeToStderr("verbcast: out of memory\n");
        return static_cast<int>(ErrorKind::Resource);
    } catch (const std::system_error& error) {
        // Thrown by the standard library if a thread cannot be started.
        const bool shortage = error.code() == std::errc::resource_unavailable_try_again ||
                              error.code() == std::errc::not_enough_memory ||
                              error.code() == std::errc::too_many_files_open;
        if (!shortage) {
            printToStderr("verbcast: internal error: {}\n", error.what());
            return static_cast<int>(ErrorKind::Internal);
        }
        printToStderr(
            "verbcast: out of threads, memory or descriptors: {}\n  try: raise the limits: ulimit -u, "
            "-v, -n\n",
            error.what());
        return static_cast<int>(ErrorKind::Resource);
    } catch (const std::exception& error) {
        printToStderr("verbcast: internal error: {}\n", cleanLine(error.what()));
        return static_cast<int>(ErrorKind::Internal);
    }
}

int reportCurrentErrorOf(const std::string& label) {
    try {
        try {
            throw;
        } catch (const Error& error) {
            throw Error(error.kind(), label + error.what(), error.remedy());
        }
    } catch (...) {
        return reportCurrentError();
    }
}

int exitCodeRank(int code) {
    constexpr int kBySignal = 128;
    return code == 0 ? 0 : code == kBySignal + SIGINT ? 1 : code == kBySignal + SIGPIPE ? 2 : 3;
}

}  // namespace verbcast
