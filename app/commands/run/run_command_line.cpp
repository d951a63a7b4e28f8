#include "app/commands/run/run_command_line.h"

#include "app/cli/stream_options.h"
#include "core/base/error.h"

namespace verbcast {

RunCommandLine::RunCommandLine(Command& verbcast)
    : SendingCommandLine(verbcast, "run", "Run an OpenGL program and send what it shows") {
    Remarks& remarks = command().remarks;
    remarks.text =
        "The program needs no change: a library is loaded into it that reads back each picture just before "
        "it is shown (GLX or EGL) and sends it. Without a viewer it runs at full speed. It needs an X11 "
        "display, which may be a virtual one. When --frames, --seconds, --once or --wait end the stream, or "
        "you interrupt it, the program and what it has started are terminated (SIGTERM, after 5 s SIGKILL).";
    remarks.examples =
        "verbcast run -- glxgears\n"
        "verbcast run --fps 30 --to wall -- ./simulator --full";
    remarks.exitCodes =
        "the program's own, 128 and more if a signal ended it; 3 if it cannot be started or showed no "
        "picture; if the stream ends first, as for verbcast send.";
    command().takesProgram = true;
    Option program = argument(section::kSource, "PROGRAM", "The program and its arguments, after --");
    program.hidden = true;  // as takesProgram says
    list().add(program, options_.program);
    addRunOptions(list(), options_);
    addPeers();
    addGpu(list());
    addRest(options_);
}

RunOptions RunCommandLine::finish() const {
    RunOptions options = options_;
    if (options.program.empty()) {
        throw Error(ErrorKind::Usage, "verbcast run: a program to run expected",
                    "for example verbcast run -- glxgears");
    }
    SendingCommandLine::finish(options);
    if (options.frameMd5 == "-") {
        throw Error(ErrorKind::Usage, "--frame-md5 -: standard output is the program's own",
                    "give a file: --frame-md5 FILE");
    }
    return options;
}

}  // namespace verbcast
