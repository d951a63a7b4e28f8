// All commands of verbcast and their options, as CLI11 knows them: a command line is parsed with them, and
// the manual and the shells' completion are written from them (app/reference).
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "app/bench/bench_command_line.h"
#include "app/command_line.h"
#include "app/copy/copy_command_line.h"
#include "app/key_command_line.h"
#include "app/pipe/pipe_command_line.h"
#include "app/pipe/run/pipeline_command_line.h"
#include "app/run_command_line.h"
#include "app/send_command_line.h"
#include "app/view_command_line.h"

namespace verbcast {

/// One command line is parsed into it. CLI11 keeps pointers to the members, so it stays where it was made.
struct CommandTree {
    CommandTree();
    CommandTree(const CommandTree&) = delete;
    CommandTree& operator=(const CommandTree&) = delete;

    CLI::App app;
    MainWindowOptions mainWindow;
    bool showVersion = false;
    SendCommandLine send;
    RenderCommandLine render;
    RelayCommandLine relay;
    ViewCommandLine view;
    CLI::App* formats;
    CLI::App* devices;
    BenchCommandLine bench;
    DoctorCommandLine doctor;
    RunCommandLine run;
    PipeCommandLine pipe;
    PipelineCommandLine pipeline;
    CopyCommandLine copy;
    KeyCommandLine key;
    WorkerOptions worker;
    CLI::App* workerCommand;
};

/// The subcommands of a command that people are told of.
std::vector<const CLI::App*> listedCommands(const CLI::App& command);

}  // namespace verbcast
