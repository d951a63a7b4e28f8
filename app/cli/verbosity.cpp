#include "app/cli/verbosity.h"

#include "core/base/error.h"

namespace verbcast {

void addVerbosity(OptionList& options, Verbosity& verbosity, const char* verboseHelp) {
    const auto add = [&](const char* names, const char* help, bool further, Verbosity means) {
        options.addFlag(
            Option{.names = names, .help = help, .section = section::kReport, .further = further},
            [&verbosity, means] {
                if (verbosity != Verbosity::Normal && verbosity != means) {
                    throw Error(ErrorKind::Usage, "-q and -v contradict each other", "leave out one of them");
                }
                verbosity = means;
            },
            [&verbosity, means] { return verbosity == means; });
    };
    add("-v,--verbose", verboseHelp, false, Verbosity::Verbose);
    add("-q,--quiet", "Print errors only", true, Verbosity::Quiet);
}

}  // namespace verbcast
