// Replaces all other files here except display_mode.cpp if libdrm or GBM is missing.
#include "core/base/error.h"
#include "render/kms/drawing_card.h"
#include "render/kms/kms_screens.h"

namespace verbcast {

struct KmsScreens::State {};

KmsSupport kmsSupport() {
    return {.available = false, .detail = "built without libdrm and GBM"};
}

std::vector<DisplayCard> displayCards() {
    return {};
}

KmsScreens::KmsScreens(const KmsOptions& /*options*/) {
    throw Error(ErrorKind::Display, "--drm: this verbcast was " + kmsSupport().detail,
                "build it with libdrm-dev and libgbm-dev installed, or use a desktop");
}
KmsScreens::~KmsScreens() = default;
std::size_t KmsScreens::count() const {
    return 0;
}
const KmsScreenState& KmsScreens::state(std::size_t /*screen*/) const {
    static const KmsScreenState kNone;
    return kNone;
}
bool KmsScreens::ready(std::size_t /*screen*/) const {
    return false;
}
void KmsScreens::draw(std::size_t /*screen*/) {}
void KmsScreens::finishDrawing() {}
void KmsScreens::show(std::size_t /*screen*/) {}
std::vector<int> KmsScreens::descriptors() const {
    return {};
}
std::vector<KmsNews> KmsScreens::serve() {
    return {};
}

struct DrawingCard::State {};

DrawingCard::DrawingCard() {
    throw Error(
        ErrorKind::Device,
        "--memory dmabuf: no graphics card has buffers to export: this verbcast was " + kmsSupport().detail,
        "build it with libdrm-dev and libgbm-dev installed, or leave out --memory dmabuf");
}
DrawingCard::~DrawingCard() = default;
const std::string& DrawingCard::name() const {
    static const std::string kNone;
    return kNone;
}
CardBuffers DrawingCard::makeBuffers(const VideoFormat& /*format*/, std::uint32_t /*count*/) const {
    return {};
}

}  // namespace verbcast
