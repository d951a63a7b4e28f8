#include "app/run/run_command_line.h"

#include <CLI/CLI.hpp>

#include "app/cli/option_values.h"
#include "core/base/error.h"

namespace verbcast {

RunCommandLine::RunCommandLine(CLI::App& app)
    : SendingCommandLine(app, "run", "Run an OpenGL program and send what it shows") {
    CLI::App& run = command();
    run.footer(
        "The program needs no change: a library is loaded into it that reads back each picture just before "
        "it\n"
        "is shown (GLX or EGL) and sends it. Without a viewer it runs at full speed. It needs an X11 "
        "display,\n"
        "which may be a virtual one. When --frames, --seconds, --once or --wait end the stream, or you\n"
        "interrupt it, the program and what it has started are terminated (SIGTERM, after 5 s SIGKILL).\n" +
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast run -- glxgears\n  verbcast run --fps 30 --to wall -- ./simulator --full\n" +
        kFramesHelp +
        "Exit code: the program's own, 128 and more if a signal ended it; 3 if it cannot be started or "
        "showed no picture; if the stream ends first, as for verbcast send.");
    addViewers(options_);
    run.add_option("--size", size_, "Scale pictures to this size (default: the window's own)")
        ->type_name("WxH");
    addFps("Maximum number of pictures sent per second", "N", "60");
    addPolicy(
        "latest: drop pictures that a viewer is too slow for; never slows the program (default);\n"
        "lossless: make the program wait for the slowest viewer");
    addMemory({"host", "device"},
              "Where frames are kept: host, read back from the GPU; device, in the memory of the NVIDIA\n"
              "GPU that draws them, from where RDMA devices send them");
    addChanges();
    run.add_flag("--allow-input", options_.allowInput,
                 "Viewers' keyboard, mouse and touch go to the program's window");
    addWatch();
    addRest(options_);
    run.add_option("PROGRAM", options_.program, "The program and its arguments, after --")->expected(-1);
}

RunOptions RunCommandLine::finish() const {
    RunOptions options = options_;
    if (options.program.empty()) {
        throw Error(ErrorKind::Usage, "verbcast run: a program to run expected",
                    "for example verbcast run -- glxgears");
    }
    if (fps() == "max" || fps() == "source") {
        throw Error(ErrorKind::Usage, "--fps " + fps() + ": a number of pictures per second expected",
                    "for example --fps 60");
    }
    SendingCommandLine::finish(options);
    if (!size_.empty()) {
        std::uint32_t width = 0, height = 0;
        parseSize(size_, width, height);
        options.width = width;
        options.height = height;
    }
    if (options.frameMd5 == "-") {
        throw Error(ErrorKind::Usage, "--frame-md5 -: standard output is the program's own",
                    "give a file: --frame-md5 FILE");
    }
    return options;
}

}  // namespace verbcast
