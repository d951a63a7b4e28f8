// All commands of verbcast and their options: to parse the command line, for help, and to write the manual
// and shell completion (app/reference).
#pragma once

#include "app/bench/bench_command_line.h"
#include "app/commands/command_line.h"
#include "app/commands/compose/compose_command_line.h"
#include "app/commands/doctor/doctor_command_line.h"
#include "app/commands/key/key_command_line.h"
#include "app/commands/pipe/pipe_command_line.h"
#include "app/commands/pipe/run/pipeline_command_line.h"
#include "app/commands/relay/relay_command_line.h"
#include "app/commands/render/render_command_line.h"
#include "app/commands/run/run_command_line.h"
#include "app/commands/send/send_command_line.h"
#include "app/commands/view/view_command_line.h"
#include "app/wall/wall_command_line.h"

namespace verbcast {

/// Holds one parsed command line. Neither copyable nor movable: options keep references to the members.
class CommandTree {
  public:
    CommandTree();
    CommandTree(const CommandTree&) = delete;
    CommandTree& operator=(const CommandTree&) = delete;

    Command& verbcast() { return verbcast_; }
    const Command& verbcast() const { return verbcast_; }
    /// Appends words of the program of `run`, which are not parsed.
    void appendProgram(const std::vector<std::string>& words) { run_.appendProgram(words); }
    /// The chosen command, once parsed. Throws Error{Usage} for contradictory options.
    ChosenCommand chosen() const;

  private:
    Command verbcast_;
    MainWindowOptions mainWindow_;
    SendCommandLine send_;
    ViewCommandLine view_;
    RunCommandLine run_;
    RenderCommandLine render_;
    ComposeCommandLine compose_;
    RelayCommandLine relay_;
    Command& formats_;
    Command& devices_;
    DoctorCommandLine doctor_;
    BenchCommandLine bench_;
    PipeCommandLine pipe_;
    PipelineCommandLine pipeline_;
    KeyCommandLine key_;
    WallCommandLine wall_;
    WorkerOptions worker_;
    Command& workerCommand_;
};

}  // namespace verbcast
