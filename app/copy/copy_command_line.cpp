#include "app/copy/copy_command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr const char* kCopyFooter =
    "The host is reached with ssh and needs verbcast of this version; the bytes go to it directly, compared "
    "by\n"
    "xxh3. Modes, times, links (as links) and holes are kept. TARGET is a folder there, or the new name of "
    "a\n"
    "single SOURCE; without a leading slash it is below the home folder. Files are written under a temporary "
    "name and renamed\n"
    "when complete. --resume skips files that already exist with the same size and time, and continues\n"
    "interrupted ones.\n"
    "Examples:\n"
    "  verbcast copy clip.y4m store:\n"
    "  verbcast copy -r -v --resume shots stills archive:/data/2026\n"
    "  verbcast copy --address node1=10.0.0.1 disk.img node1:/var/images/new.img\n"
    "Exit codes: 0 everything was copied; 2 usage, 3 something could not be read (the rest was copied), 4 "
    "host or\n"
    "connection lost, 5 disk space, 6 no verbcast there or another version, 9 checksum, 130 interrupted.";

}  // namespace

CopyCommandLine::CopyCommandLine(CLI::App& app)
    : copy_(app.add_subcommand("copy", "Copy files and folders to another host")),
      receive_(app.add_subcommand("copy-receive")->group("")) {
    copy_->footer(kCopyFooter);
    copy_->add_option("PLACES", places_, "What to copy, and where")
        ->type_name("SOURCE ... HOST:TARGET")
        ->required();
    copy_->add_flag("-r,--recursive", options_.recursive, "Copy folders and everything in them");
    copy_->add_flag("--resume", options_.resume, "Continue an interrupted copy");
    access_.add(*copy_);
    receive_->add_option("TARGET", receiveOptions_.target)->required();
    receive_->add_flag("--resume", receiveOptions_.resume);
    receive_->add_flag("--into", receiveOptions_.intoFolder);
}

bool CopyCommandLine::parsed() const {
    return copy_->parsed() || receive_->parsed();
}

std::variant<CopyOptions, CopyReceiveOptions> CopyCommandLine::finish() const {
    if (receive_->parsed()) {
        return receiveOptions_;
    }
    CopyOptions options = options_;
    const auto colon = endOfHost(places_.back());
    if (places_.size() < 2 || colon == std::string::npos) {
        throw Error(ErrorKind::Usage, fmt::format("\"{}\": HOST:TARGET expected at the end", places_.back()),
                    "for example verbcast copy file host:folder");
    }
    options.sources.assign(places_.begin(), places_.end() - 1);
    options.target = places_.back().substr(colon + 1);
    PipelineStage stage;
    stage.host = hostOf(places_.back(), colon);
    options.access.stages.push_back(stage);
    access_.finish(options.access);
    return options;
}

}  // namespace verbcast
