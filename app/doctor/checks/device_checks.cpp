// Graphics cards as decoders.
#include <fmt/format.h>

#include "app/doctor/checks/checks.h"

namespace verbcast {
namespace {

/// The device file that a kind of hardware decoder needs, or "" when it is not known.
std::string deviceFileOf(const SystemTree& tree, const std::string& type) {
    if (type == "cuda") {
        return "/dev/nvidiactl";
    }
    if (type == "vaapi" || type == "drm" || type == "qsv" || type == "vulkan" || type == "vdpau") {
        for (const std::string& name : tree.names("/dev/dri")) {
            if (name.starts_with("renderD")) {
                return "/dev/dri/" + name;
            }
        }
        return "/dev/dri/renderD128";
    }
    return "";
}

}  // namespace

Check decoderCheck(const SystemTree& tree, const std::vector<HardwareDecoder>& decoders) {
    Check check{"hardware decoders", CheckState::Info, "", ""};
    std::string known;
    std::string present;
    std::string closed;
    for (const HardwareDecoder& decoder : decoders) {
        known += (known.empty() ? "" : ", ") + decoder.type;
        const std::string file = deviceFileOf(tree, decoder.type);
        if (!file.empty() && tree.exists(file) && !decoder.codecs.empty()) {
            present += fmt::format("{}{} ({})", present.empty() ? "" : "; ", decoder.type,
                                   fmt::join(decoder.codecs, " "));
            closed = tree.usable(file) ? closed : file;
        }
    }
    if (present.empty()) {
        check.seen =
            fmt::format("no device for any that FFmpeg knows ({}): files are decoded on the processors",
                        known.empty() ? "none" : known);
        return check;
    }
    check.seen = fmt::format(
        "FFmpeg could use {}; verbcast decodes on the processors, straight into its ring", present);
    if (!closed.empty()) {
        check.seen += fmt::format("; {} may not be opened by this user", closed);
        check.remedy = "sudo usermod -aG render,video $USER, then log in again";
    }
    return check;
}

}  // namespace verbcast
