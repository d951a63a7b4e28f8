// Lists this machine's cards.
#include <gbm.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/os/folder.h"
#include "render/kms/drm_card.h"
#include "render/kms/kms_screens.h"

namespace verbcast {
namespace {

constexpr const char* kCardFolder = "/dev/dri";

std::vector<std::string> cardPaths() {
    std::vector<std::string> paths;
    for (const std::string& name : namesIn(kCardFolder)) {
        if (name.starts_with("card")) {
            paths.push_back(std::string(kCardFolder) + "/" + name);
        }
    }
    std::ranges::sort(paths, {}, [](const std::string& path) { return std::pair(path.size(), path); });
    return paths;
}

}  // namespace

KmsSupport kmsSupport() {
    return {.available = true, .detail = std::string("libdrm ") + VERBCAST_LIBDRM_VERSION + ", GBM"};
}

std::vector<DisplayCard> displayCards() {
    std::vector<DisplayCard> cards;
    for (const std::string& path : cardPaths()) {
        DisplayCard card{.path = path, .driver = {}, .connectors = {}, .problem = {}, .remedy = {}};
        try {
            const DrmCard opened(path);
            if (!opened.modesets()) {
                continue;  // it only computes, without outputs
            }
            card.driver = opened.driver();
            card.connectors = opened.connectors();
        } catch (const Error& error) {
            const std::string what = error.what();
            card.problem = what.starts_with(path + ": ") ? what.substr(path.size() + 2) : what;
            card.remedy = error.remedy();
        }
        cards.push_back(std::move(card));
    }
    return cards;
}

}  // namespace verbcast
