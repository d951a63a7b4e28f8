// The names of upload paths on the command line, and what a viewer's statistics say about them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/stats/screen_stats.h"
#include "render/stream_renderer.h"

namespace verbcast {

using UploadName = std::pair<const char*, UploadPath>;

/// The values of --upload.
inline constexpr std::array<UploadName, 4> kUploadNames{{{"auto", UploadPath::Measure},
                                                         {"direct", UploadPath::Direct},
                                                         {"pbo", UploadPath::PersistentPbo},
                                                         {"pinned", UploadPath::Pinned}}};

/// Throws Error{Usage} for other names.
inline UploadPath uploadPathByName(std::string_view name) {
    for (const auto& [known, path] : kUploadNames) {
        if (name == known) {
            return path;
        }
    }
    throw Error(ErrorKind::Usage, "--upload " + std::string(name) + ": there is no such path",
                "use auto, direct, pbo or pinned");
}

inline UploadStats uploadStats(const UploadReport& report) {
    return {.inPlace = report.inPlace,
            .withinGpu = report.withinGpu,
            .uploaded = report.uploaded,
            .reason = report.reason};
}

}  // namespace verbcast
