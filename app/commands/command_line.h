// Turns the command line into options. All programs parse it with the same code: verbcast runs everything
// without a window and replaces itself by a helper program for the rest.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "app/bench/report/bench_options.h"
#include "app/commands/compose/compose_options.h"
#include "app/commands/compose/mosaic/mosaic_options.h"
#include "app/commands/doctor/machine/doctor_options.h"
#include "app/commands/key/key_command.h"
#include "app/commands/pipe/pipe_command.h"
#include "app/commands/pipe/run/pipeline.h"
#include "app/commands/relay/relay_options.h"
#include "app/commands/render/render_options.h"
#include "app/commands/send/send_options.h"
#include "app/preload/run_options.h"
#include "app/view/view_options.h"
#include "app/wall/wall_options.h"

namespace verbcast {

/// `verbcast FILE.verbcast` means `verbcast --session FILE.verbcast`.
inline constexpr std::string_view kSessionSuffix = ".verbcast";

/// Options of `verbcast` alone: the window to send and view.
struct MainWindowOptions {
    std::string session;  ///< file with the initial settings; empty: the last ones used
};

struct FormatsOptions {};
struct DevicesOptions {};
/// For --help and --version: prints the text and ends.
struct PrintText {
    std::string text;
};

using ChosenCommand =
    std::variant<SendOptions, RenderOptions, RelayOptions, ComposeOptions, MosaicOptions, ViewOptions,
                 BenchOptions, CompareOptions, WorkerOptions, DoctorOptions, RunOptions, PipeOptions,
                 PipelineOptions, StageOptions, KeyOptions, NewWallOptions, CheckWallOptions, ShowWallOptions,
                 MainWindowOptions, FormatsOptions, DevicesOptions, PrintText>;

/// Throws Error{Usage} for options that are wrong or contradict each other. Calls `version` for --version.
ChosenCommand parseCommandLine(int argc, const char* const* argv, std::string (*version)());

}  // namespace verbcast
