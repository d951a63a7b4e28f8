#include "app/doctor/doctor_command_line.h"

#include <CLI/CLI.hpp>

#include "app/cli/option_values.h"
#include "app/cli/peer_options.h"

namespace verbcast {

DoctorCommandLine::DoctorCommandLine(CLI::App& app)
    : doctor_(app.add_subcommand("doctor", "Find out what keeps this machine from streaming")),
      size_("3840x2160"),
      format_("rgba"),
      fps_("60") {
    doctor_->footer(
        "Exit codes: 0 this machine can stream, 10 it can, with warnings (--strict), 11 it cannot; 2 usage.");
    doctor_->add_option("URL", url_,
                        "A peer to reach: verbs://host:port, tcp://host:port, shm://name;\n"
                        "URL,URL: the rails of one stream");
    doctor_->add_option("--size", size_, "Size of the stream to check for")
        ->capture_default_str()
        ->type_name("WxH");
    doctor_->add_option("--format", format_, "Its pixel format")->capture_default_str()->type_name("NAME");
    doctor_->add_option("--fps", fps_, "Its rate")->capture_default_str()->type_name("N");
    doctor_->add_flag("--json", json_, "Print JSON");
    doctor_->add_flag("--strict", strict_, "Treat warnings as failures: exit code 10");
    trust_.addKeyTo(*doctor_);
}

bool DoctorCommandLine::parsed() const {
    return doctor_->parsed();
}

DoctorOptions DoctorCommandLine::finish() const {
    DoctorOptions options;
    if (!url_.empty()) {
        const PeerAddress peer = parsePeer(url_);
        options.peer = peer.url;
        options.spares = peer.spares;
        options.trust = trust_.trust(false, *options.peer);
    }
    parseSize(size_, options.width, options.height);
    options.pixelFormat = parsePixelFormat(format_);
    options.fps = parseRate(fps_);
    options.json = json_;
    options.strict = strict_;
    return options;
}

}  // namespace verbcast
