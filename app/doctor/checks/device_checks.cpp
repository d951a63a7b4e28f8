// Checks graphics cards as decoders.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/doctor/checks/checks.h"
#include "core/base/text/clean_text.h"

namespace verbcast {
namespace {

/// A render node that this user may not open, or "".
std::string closedRenderNode(const SystemTree& tree) {
    for (const std::string& name : tree.names("/dev/dri")) {
        if (name.starts_with("renderD") && !tree.usable("/dev/dri/" + name)) {
            return "/dev/dri/" + name;
        }
    }
    return "";
}

}  // namespace

Check decoderCheck(const SystemTree& tree, const std::vector<HardwareDecoder>& decoders) {
    Check check{"hardware decoders", CheckState::Info, "", ""};
    std::string works;
    std::string absent;
    for (const HardwareDecoder& decoder : decoders) {
        if (decoder.works) {
            works += fmt::format("{}{} ({})", works.empty() ? "" : "; ", nameOf(decoder.decoder),
                                 fmt::join(decoder.codecs, " "));
        } else {
            absent += fmt::format("{}{}: {}", absent.empty() ? "" : "; ", nameOf(decoder.decoder),
                                  cleanText(decoder.reason));
        }
    }
    check.seen = works.empty() ? fmt::format("none: files are decoded on the processors ({})", absent)
                               : fmt::format("{}: verbcast send --decoder auto takes them for files{}", works,
                                             absent.empty() ? "" : fmt::format(" ({})", absent));
    if (const std::string closed = closedRenderNode(tree); !closed.empty()) {
        check.seen += fmt::format("; {} may not be opened by this user", closed);
        check.remedy = "sudo usermod -aG render,video $USER, then log in again";
    }
    return check;
}

}  // namespace verbcast
