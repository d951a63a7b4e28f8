#include "app/commands/compose/compose_command_line.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {

ComposeCommandLine::ComposeCommandLine(Command& verbcast)
    : SendingCommandLine(verbcast, "compose", "Merge partial renderings, and send the whole picture") {
    command().remarks.text =
        "Frames with equal time stamps are merged. Parts have the same size and rate. By depth, the nearest "
        "part is "
        "kept at each pixel: render --part sends depths, and so does another compose with --keep-depth. By "
        "order, "
        "the first URL is in front, and the others show through it: parts are rgba or bgra, with "
        "premultiplied "
        "alpha.";
    command().remarks.examples =
        "verbcast compose verbs://render1 verbs://render2 verbs://render3 --to wall\n"
        "verbcast render --part 1/2 --listen :7001 & verbcast render --part 2/2 --listen :7002 &\n"
        "verbcast compose localhost:7001 localhost:7002\n"
        "verbcast compose --by order front:7001 middle:7001 back:7001";
    list().add(argument(section::kPeers, "URL", "Connect to the senders that listen there, 2 to 64").needed(),
               parts_);
    list().add(
        option(section::kPicture, "--by", "depth|order",
               "depth: keep the nearest part at each pixel; order: stack the parts by their alpha, the first "
               "in front"),
        options_.by, choiceValue<MergeBy>({{"depth", MergeBy::Depth}, {"order", MergeBy::Order}}));
    list().add(flag(section::kPicture, "--keep-depth", "Also send the merged depths, for another compose"),
               options_.keepDepth);
    addPeers();
    addSending(list(), options_);
    addAllowInput(list(), options_,
                  "Forward viewers' input to every part that accepts it (render --part --allow-input)");
    addPolicy(
        list(), options_,
        "latest: drop frames that a viewer is too slow for (default); lossless: wait for the slowest viewer");
    addMaxMemory(options_.maxMemory);
    addSession(list(), options_, options_.sender, options_.sender.slots);
    addRest(options_);
}

ComposeOptions ComposeCommandLine::finish() const {
    constexpr std::size_t kMaxParts = 64;
    ComposeOptions options = options_;
    if (parts_.size() < 2 || parts_.size() > kMaxParts) {
        throw Error(ErrorKind::Usage, fmt::format("verbcast compose: {} given, 2 to {} parts expected",
                                                  counted(parts_.size(), "part"), kMaxParts));
    }
    if (options.by == MergeBy::Order && options.keepDepth) {
        throw Error(ErrorKind::Usage, "--keep-depth with --by order: what is merged by alpha has no depth",
                    "leave out one of them");
    }
    SendingCommandLine::finish(options);
    for (const std::string& part : parts_) {
        const Url url = parseUrl(part);
        options.parts.push_back(peerAt({url, false}, options.sender.listen));
        options.parts.back().findsRails = false;  // --rails is about the viewer
    }
    return options;
}

}  // namespace verbcast
