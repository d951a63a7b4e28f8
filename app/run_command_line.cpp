#include "app/run_command_line.h"

#include "app/option_values.h"
#include "app/stream_command_line.h"
#include "core/session/slot_count.h"

namespace verbcast {

RunCommandLine::RunCommandLine(CLI::App& app)
    : run_(app.add_subcommand("run", "Run an OpenGL program and send what it shows")) {
    run_->footer(
        "The program needs no change: a library is loaded into it that reads back each picture just before "
        "it\nis shown (GLX or EGL) and sends it. Without a viewer it runs at full speed; a slow viewer "
        "never\nslows it. It needs an X11 display, which may be a virtual one.\n"
        "Examples:\n  verbcast run -- glxgears\n  verbcast run --fps 30 --to wall -- ./simulator --full\n"
        "Exit code: the program's own, 128 and more when a signal ended it; 3 when it cannot be started or "
        "showed no picture.");
    run_->add_option("--to", to_, "Connect to the viewer that listens there")->type_name("URL");
    run_->add_option("--listen", listen_, "Wait there for viewers (default: every address, port 7423)")
        ->type_name("URL");
    run_->add_option("--size", size_, "Scale pictures to this size (default: the window's own)")
        ->type_name("WxH");
    run_->add_option("--fps", fps_, "Maximum number of pictures sent per second")
        ->capture_default_str()
        ->type_name("N");
    run_->add_option("--slots", settings_.sender.slots, "Frames held at most, 2 to 64")
        ->capture_default_str()
        ->type_name("N");
    addMaxViewers(*run_, settings_.sender.maxReceivers);
    run_->add_flag("--allow-input", settings_.sender.allowInput,
                   "Viewers' keyboard, mouse and touch go to the program's window");
    run_->add_flag("--poll", settings_.sender.poll, "Spin on the transport instead of sleeping");
    trust_.addTo(*run_);
    watch_.addTo(*run_);
    run_->add_flag("-q,--quiet", settings_.quiet, "Say only what went wrong");
    run_->add_option("PROGRAM", program_, "The program and its arguments, after --")->expected(-1);
}

RunOptions RunCommandLine::finish() const {
    RunOptions options{.settings = settings_, .program = program_};
    if (options.program.empty()) {
        throw Error(ErrorKind::Usage, "verbcast run: a program to run expected",
                    "for example verbcast run -- glxgears");
    }
    SenderOptions& sender = options.settings.sender;
    sender.listen = to_.empty();
    sender.url = meetingPlace(to_, !listen_.empty(), listen_, sender.listen);
    sender.trust = trust_.trust(sender.listen, sender.url);
    checkedSlots(sender.slots, "--slots");
    if (!size_.empty()) {
        std::uint32_t width = 0, height = 0;
        parseSize(size_, width, height);
        options.settings.width = width;
        options.settings.height = height;
    }
    options.settings.fps = parseRate(fps_);
    sender.preview = watch_.preview();
    options.figures = watch_.statsDescriptor();
    return options;
}

}  // namespace verbcast
