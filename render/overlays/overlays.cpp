#include <algorithm>

#include "render/overlays/overlay.h"
#include "render/overlays/waveform.h"

namespace verbcast {
namespace {

using Make = std::unique_ptr<Overlay> (*)();

template <typename T>
std::unique_ptr<Overlay> make() {
    return std::make_unique<T>();
}

/// In the order of kOverlayNames.
constexpr std::array<Make, kOverlayNames.size()> kMakers{make<Waveform>};

}  // namespace

void Overlays::draw(const std::vector<std::string>& names, const StreamRenderer& renderer,
                    const TargetPart& part) {
    if (!renderer.hasPicture()) {
        return;
    }
    for (std::size_t i = 0; i < kOverlayNames.size(); ++i) {
        if (std::ranges::find(names, kOverlayNames[i].name) == names.end()) {
            continue;
        }
        if (!overlays_[i]) {
            overlays_[i] = kMakers[i]();
        }
        overlays_[i]->draw(renderer.picture(), part);
    }
}

}  // namespace verbcast
