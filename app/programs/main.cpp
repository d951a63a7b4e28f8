// verbcast: everything that needs no window. Links neither Qt nor OpenGL.
#include <variant>

#include "app/bench/bench_command.h"
#include "app/bench/report/report_output.h"
#include "app/bench/workers/worker.h"
#include "app/cli/numa_choice.h"
#include "app/cli/run_main.h"
#include "app/cli/verbosity.h"
#include "app/commands/command_line.h"
#include "app/commands/compose/compose_command.h"
#include "app/commands/doctor/doctor.h"
#include "app/commands/pipe/pipe_command.h"
#include "app/commands/pipe/run/pipeline.h"
#include "app/commands/relay/relay_command.h"
#include "app/commands/run/run_command.h"
#include "app/commands/send/send_command.h"
#include "app/commands/view/view_command.h"
#include "app/host/helper_program.h"
#include "app/programs/info_commands.h"
#include "app/wall/wall_command.h"
#include "core/base/os/standard_streams.h"

namespace verbcast {
namespace {

/// Runs each command. A missing one does not compile.
struct Runner {
    int argc;
    char** argv;

    int operator()(const PrintText& text) const {
        writeToStdout(text.text);
        return 0;
    }
    int operator()(SendOptions options) const {
        setVerbosity(options.verbosity);
        takePlace(options, {options.sender});
        return runSend(options);
    }
    int operator()(RelayOptions options) const {
        setVerbosity(options.verbosity);
        takePlace(options, {options.sender, options.from});
        return runRelay(options);
    }
    int operator()(ComposeOptions options) const {
        setVerbosity(options.verbosity);
        std::vector<SessionAddress> peers(options.parts.begin(), options.parts.end());
        peers.push_back(options.sender);
        takePlace(options, peers);
        return runCompose(options);
    }
    int operator()(const RenderOptions&) const { becomeGl(argv); }
    int operator()(const MosaicOptions&) const { becomeGl(argv); }
    int operator()(ViewOptions options) const {
        setVerbosity(options.verbosity);
        if (options.drm) {
            becomeKms(argv);
        }
        if (!options.headless) {
            becomeWindow(argv);
        }
        takePlace(options, addressesOf(options));
        return runHeadlessView(options);
    }
    int operator()(const BenchOptions& options) const { return runBench(options, argc, argv); }
    int operator()(const CompareOptions& options) const { return runCompare(options); }
    int operator()(const WorkerOptions& options) const { return runWorker(options); }
    int operator()(RunOptions options) const {
        setVerbosity(options.verbosity);
        choosePlace(options, {options.sender});  // for our library only: the program is not bound to a node
        return runProgram(options);
    }
    int operator()(const PipeOptions& options) const { return runPipe(options); }
    int operator()(const PipelineOptions& options) const { return runPipeline(options); }
    int operator()(const StageOptions&) const { return runStage(); }
    int operator()(const KeyOptions& options) const { return runKey(options); }
    int operator()(const NewWallOptions& options) const { return runWall(options); }
    int operator()(const CheckWallOptions& options) const { return runWall(options); }
    int operator()(const ShowWallOptions& options) const { return runWall(options); }
    int operator()(const DoctorOptions& options) const { return runDoctor(options); }
    int operator()(const MainWindowOptions&) const { becomeWindow(argv); }
    int operator()(const FormatsOptions&) const { return listFormats(); }
    int operator()(const DevicesOptions&) const { return listDevices(); }
};

}  // namespace
}  // namespace verbcast

int main(int argc, char** argv) {
    return verbcast::runMain("verbcast", [&] {
        return std::visit(verbcast::Runner{argc, argv},
                          verbcast::parseCommandLine(argc, argv, &verbcast::versionText));
    });
}
