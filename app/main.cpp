// verbcast: everything that needs no window. Links neither Qt nor OpenGL.
#include <fmt/format.h>

#include "app/bench/bench_command.h"
#include "app/bench/report_output.h"
#include "app/bench/worker.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "app/copy/copy_command.h"
#include "app/crash_report.h"
#include "app/helper_program.h"
#include "app/pipe/pipe_command.h"
#include "app/pipe/run/pipeline.h"
#include "app/pipe/run/stage.h"
#include "app/report_error.h"
#include "app/run_command.h"
#include "app/verbosity.h"
#include "core/base/log.h"

namespace verbcast {
namespace {

int run(int argc, char** argv) {
    const Command command = parseCommandLine(argc, argv, &versionText);
    if (const auto* text = std::get_if<PrintText>(&command)) {
        fmt::print("{}", text->text);
        return 0;
    }
    if (const auto* send = std::get_if<SendOptions>(&command)) {
        setVerbosity(send->verbosity);
        return runSend(*send);
    }
    if (const auto* relay = std::get_if<RelayOptions>(&command)) {
        setVerbosity(relay->verbosity);
        return runRelay(*relay);
    }
    if (std::holds_alternative<RenderOptions>(command)) {
        becomeGl(argv);
    }
    if (const auto* view = std::get_if<ViewOptions>(&command)) {
        setVerbosity(view->verbosity);
        if (!view->headless) {
            becomeWindow(argv);
        }
        return runHeadlessView(*view);
    }
    if (const auto* bench = std::get_if<BenchOptions>(&command)) {
        return runBench(*bench, argc, argv);
    }
    if (const auto* compare = std::get_if<CompareOptions>(&command)) {
        return runCompare(*compare);
    }
    if (const auto* worker = std::get_if<WorkerOptions>(&command)) {
        return runWorker(*worker);
    }
    if (const auto* program = std::get_if<RunOptions>(&command)) {
        return runProgram(*program);
    }
    if (const auto* pipe = std::get_if<PipeOptions>(&command)) {
        return runPipe(*pipe);
    }
    if (const auto* pipeline = std::get_if<PipelineOptions>(&command)) {
        return runPipeline(*pipeline);
    }
    if (std::holds_alternative<StageOptions>(command)) {
        return runStage();
    }
    if (const auto* copy = std::get_if<CopyOptions>(&command)) {
        return runCopy(*copy);
    }
    if (const auto* receive = std::get_if<CopyReceiveOptions>(&command)) {
        return runCopyReceive(*receive);
    }
    if (const auto* key = std::get_if<KeyOptions>(&command)) {
        return runKey(*key);
    }
    if (const auto* doctor = std::get_if<DoctorOptions>(&command)) {
        return runDoctor(*doctor);
    }
    if (std::holds_alternative<MainWindowOptions>(command)) {
        becomeWindow(argv);
    }
    return std::holds_alternative<FormatsOptions>(command) ? listFormats() : listDevices();
}

}  // namespace
}  // namespace verbcast

int main(int argc, char** argv) {
    verbcast::reportCrashes("verbcast");
    try {
        verbcast::logToStderr();
        return verbcast::run(argc, argv);
    } catch (...) {
        return verbcast::reportCurrentError();
    }
}
