// verbcast bench: checks where it will write, measures, prints the table, writes the files.
#include <fmt/format.h>

#include <cstdio>

#include "app/bench/bench_command.h"
#include "app/bench/modes/bench_modes.h"
#include "app/bench/report/report_output.h"
#include "app/host/interrupt.h"
#include "core/base/whole_file.h"

namespace verbcast {
namespace {

void measure(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    switch (options.mode) {
        case BenchMode::Frames:
            return benchFrames(options, report, progress);
        case BenchMode::Limits:
            return benchLimits(options, report, progress);
        case BenchMode::Sweep:
            return benchSweep(options, report, progress);
        case BenchMode::Register:
            return benchRegister(options, report, progress);
        case BenchMode::Rpc:
            return benchRpc(options, report, progress);
        case BenchMode::Stages:
            return benchStages(options, report, progress);
        case BenchMode::Scale:
            return benchScale(options, report, progress);
        case BenchMode::Viewers:
            return benchViewers(options, report, progress);
    }
}

}  // namespace

int runBench(const BenchOptions& options, int argc, const char* const* argv) {
    checkWritable(options.json);
    checkWritable(options.html);
    installInterruptHandler();
    BenchReport report;
    report.mode = options.mode;
    report.machine = describeMachine(argc, argv);
    {
        BenchProgress progress(options.quiet);
        measure(options, report, progress);
    }
    report.interrupted = interruptEvent().isSet();
    // With JSON on standard output the table goes to stderr, so that the output stays one document.
    std::FILE* out = options.json == "-" ? stderr : stdout;
    fmt::print(out, "{}", reportTable(report));
    if (options.json == "-") {
        fmt::print("{}\n", reportJson(report).dump(2));
    } else if (!options.json.empty()) {
        writeWhole(options.json, reportJson(report).dump(2) + "\n");
    }
    if (!options.html.empty()) {
        writeWhole(options.html, reportHtml(report));
    }
    return report.interrupted ? 130 : 0;
}

}  // namespace verbcast
