#include "app/compose/compose_command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/cli/option_values.h"
#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {

ComposeCommandLine::ComposeCommandLine(CLI::App& app)
    : SendingCommandLine(app, "compose", "Merge partial renderings, and send the whole picture") {
    command().footer(
        "Frames with equal time stamps are merged. Parts have the same size and rate. By depth, the nearest\n"
        "part is kept at each pixel: render --part sends depths, and so does another compose with "
        "--keep-depth.\n"
        "By order, the first URL is in front, and the others show through it: parts are rgba or bgra, with\n"
        "premultiplied alpha.\n" +
        std::string(kAddressHelp) +
        "\nExamples:\n  verbcast compose verbs://render1 verbs://render2 verbs://render3 --to wall\n"
        "  verbcast render --part 1/2 --listen :7001 & verbcast render --part 2/2 --listen :7002 &\n"
        "  verbcast compose localhost:7001 localhost:7002\n"
        "  verbcast compose --by order front:7001 middle:7001 back:7001\n" +
        kFramesHelp + kExitCodeHelp);
    command()
        .add_option("URL", parts_, "Connect to the senders that listen there, 2 to 64")
        ->required()
        ->type_name("");
    addViewers(options_);
    command()
        .add_option("--by", by_,
                    "depth: keep the nearest part at each pixel;\n"
                    "order: stack the parts by their alpha, the first in front")
        ->capture_default_str()
        ->type_name("depth|order");
    command().add_flag("--keep-depth", options_.keepDepth,
                       "Also send the merged depths, for another compose");
    command().add_flag("--allow-input", options_.allowInput,
                       "Forward viewers' input to every part that accepts it (render --part --allow-input)");
    addPolicy(
        "latest: drop frames that a viewer is too slow for (default);\n"
        "lossless: wait for the slowest viewer");
    addChanges();
    addMaxMemory();
    addRest(options_);
}

ComposeOptions ComposeCommandLine::finish() const {
    constexpr std::size_t kMaxParts = 64;
    ComposeOptions options = options_;
    if (parts_.size() < 2 || parts_.size() > kMaxParts) {
        throw Error(ErrorKind::Usage, fmt::format("verbcast compose: {} given, 2 to {} parts expected",
                                                  counted(parts_.size(), "part"), kMaxParts));
    }
    if (by_ != "depth" && by_ != "order") {
        throw Error(ErrorKind::Usage, fmt::format("--by {}: depth or order expected", by_));
    }
    options.by = by_ == "order" ? MergeBy::Order : MergeBy::Depth;
    if (options.by == MergeBy::Order && options.keepDepth) {
        throw Error(ErrorKind::Usage, "--keep-depth with --by order: what is merged by alpha has no depth",
                    "leave out one of them");
    }
    SendingCommandLine::finish(options);
    for (const std::string& part : parts_) {
        const Url url = parseUrl(part);
        options.parts.push_back(
            {url, false, trustFor(options.listen ? trust().of(false) : trust(), false, url)});
    }
    return options;
}

}  // namespace verbcast
