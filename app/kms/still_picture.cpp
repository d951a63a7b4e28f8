#include "app/kms/still_picture.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "app/view/picture_file.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kSide = 16;  // the smallest valid picture

}  // namespace

StillPicture::StillPicture(const std::string& path) : black_(UploadPath::Direct), still_(UploadPath::Direct) {
    const std::array<std::byte, std::size_t{kSide} * kSide * 4> black{};
    black_.upload(tightFormat(kSide, kSide, PixelFormat::bgra), black.data());
    if (!path.empty()) {
        uploadPictureFile(still_, path, "--still");
    }
}

void StillPicture::drawOver(int targetWidth, int targetHeight, double opacity) {
    const TargetRect whole{0, 0, targetWidth, targetHeight};
    const TargetPart part{targetWidth, targetHeight, whole, whole};
    const Blend blend{.opacity = static_cast<float>(opacity)};
    const Placement everywhere{.centreX = targetWidth / 2.0,
                               .centreY = targetHeight / 2.0,
                               .scale = static_cast<double>(std::max(targetWidth, targetHeight)) / kSide + 1};
    black_.drawOver(everywhere, part, blend);
    if (still_.hasPicture()) {
        still_.drawOver(fitPlacement(still_.format(), targetWidth, targetHeight), part, blend);
    }
}

}  // namespace verbcast
