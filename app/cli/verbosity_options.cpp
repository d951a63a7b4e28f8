#include "app/cli/verbosity_options.h"

#include <CLI/CLI.hpp>

#include "core/base/error.h"

namespace verbcast {

void VerbosityOptions::addTo(CLI::App& command, const char* verboseHelp) {
    command.add_flag("-v,--verbose", verbose_, verboseHelp);
    command.add_flag("-q,--quiet", quiet_, "Print errors only");
}

Verbosity VerbosityOptions::verbosity() const {
    if (quiet_ && verbose_) {
        throw Error(ErrorKind::Usage, "-q and -v contradict each other", "leave out one of them");
    }
    return quiet_ ? Verbosity::Quiet : verbose_ ? Verbosity::Verbose : Verbosity::Normal;
}

}  // namespace verbcast
