// All commands of verbcast and their options, in CLI11: to parse the command line and to generate the manual
// and shell completion (app/reference).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/bench/bench_command_line.h"
#include "app/commands/command_line.h"
#include "app/compose/compose_command_line.h"
#include "app/doctor/doctor_command_line.h"
#include "app/key/key_command_line.h"
#include "app/pipe/pipe_command_line.h"
#include "app/pipe/run/pipeline_command_line.h"
#include "app/relay/relay_command_line.h"
#include "app/render/render_command_line.h"
#include "app/run/run_command_line.h"
#include "app/send/send_command_line.h"
#include "app/view/view_command_line.h"
#include "app/wall/wall_command_line.h"

namespace verbcast {

/// Holds one parsed command line. Neither copyable nor movable: CLI11 keeps pointers to the members.
class CommandTree {
  public:
    CommandTree();
    CommandTree(const CommandTree&) = delete;
    CommandTree& operator=(const CommandTree&) = delete;

    CLI::App& app() { return app_; }
    const CLI::App& app() const { return app_; }
    /// Appends words of the program of `run`, which app() has not parsed.
    void appendProgram(const std::vector<std::string>& words) { run_.appendProgram(words); }
    /// The chosen command, once app() has parsed. Throws Error{Usage} for contradictory options.
    Command chosen() const;

  private:
    CLI::App app_;
    MainWindowOptions mainWindow_;
    bool showVersion_ = false;
    SendCommandLine send_;
    RenderCommandLine render_;
    RelayCommandLine relay_;
    ComposeCommandLine compose_;
    ViewCommandLine view_;
    CLI::App* formats_;
    CLI::App* devices_;
    BenchCommandLine bench_;
    DoctorCommandLine doctor_;
    RunCommandLine run_;
    PipeCommandLine pipe_;
    PipelineCommandLine pipeline_;
    KeyCommandLine key_;
    WallCommandLine wall_;
    WorkerOptions worker_;
    CLI::App* workerCommand_;
};

/// The subcommands that --help lists.
std::vector<const CLI::App*> listedCommands(const CLI::App& command);

}  // namespace verbcast
