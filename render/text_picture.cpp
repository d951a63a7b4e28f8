#include "render/text_picture.h"

#include <pango/pangocairo.h>

#include <algorithm>
#include <memory>
#include <numbers>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr double kPlateOpacity = 0.62;
constexpr double kTextLevel = 0.96;

struct Unref {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
    void operator()(PangoLayout* layout) const { g_object_unref(layout); }
    void operator()(PangoFontDescription* font) const { pango_font_description_free(font); }
};
template <typename T>
using Owned = std::unique_ptr<T, Unref>;

void drawPlate(cairo_t* cairo, double width, double height, double radius) {
    constexpr double kQuarter = std::numbers::pi / 2;
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, width - radius, radius, radius, -kQuarter, 0);
    cairo_arc(cairo, width - radius, height - radius, radius, 0, kQuarter);
    cairo_arc(cairo, radius, height - radius, radius, kQuarter, 2 * kQuarter);
    cairo_arc(cairo, radius, radius, radius, 2 * kQuarter, 3 * kQuarter);
    cairo_close_path(cairo);
    cairo_set_source_rgba(cairo, 0, 0, 0, kPlateOpacity);
    cairo_fill(cairo);
}

Owned<cairo_surface_t> makeSurface(int width, int height) {
    return Owned<cairo_surface_t>(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
}

/// Lines of `height` pixels, at most that wide.
Owned<PangoLayout> layOut(cairo_t* cairo, const std::string& text, int height, int width) {
    Owned<PangoLayout> layout(pango_cairo_create_layout(cairo));
    const Owned<PangoFontDescription> font(pango_font_description_from_string("Sans"));
    pango_font_description_set_absolute_size(font.get(), height * 0.75 * PANGO_SCALE);
    pango_layout_set_font_description(layout.get(), font.get());
    pango_layout_set_text(layout.get(), text.data(), static_cast<int>(text.size()));
    pango_layout_set_width(layout.get(), width * PANGO_SCALE);
    pango_layout_set_ellipsize(layout.get(), PANGO_ELLIPSIZE_END);
    return layout;
}

}  // namespace

bool hasText() {
    return true;
}

TextPicture textPicture(const std::string& text, int height, int width) {
    const int margin = height / 3;
    const auto measuring = makeSurface(1, 1);
    const Owned<cairo_t> ruler(cairo_create(measuring.get()));
    PangoRectangle size{};
    pango_layout_get_pixel_extents(layOut(ruler.get(), text, height, std::max(width - 2 * margin, 1)).get(),
                                   nullptr, &size);
    const auto least = static_cast<int>(kMinDimension), most = static_cast<int>(kMaxDimension);
    const int across = std::clamp(size.width + 2 * margin, least, most);
    const int down = std::clamp(size.height + margin, least, most);
    const auto surface = makeSurface(across, down);
    const Owned<cairo_t> cairo(cairo_create(surface.get()));
    drawPlate(cairo.get(), across, down, std::min(margin, down / 2));
    const auto layout = layOut(cairo.get(), text, height, size.width);
    cairo_move_to(cairo.get(), margin - size.x, margin / 2.0);
    cairo_set_source_rgb(cairo.get(), kTextLevel, kTextLevel, kTextLevel);
    pango_cairo_show_layout(cairo.get(), layout.get());
    cairo_surface_flush(surface.get());
    if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS ||
        cairo_status(cairo.get()) != CAIRO_STATUS_SUCCESS) {
        throw Error(ErrorKind::Resource, std::string("text cannot be drawn: ") +
                                             cairo_status_to_string(cairo_status(cairo.get())));
    }
    TextPicture picture{
        tightFormat(static_cast<std::uint32_t>(across), static_cast<std::uint32_t>(down), PixelFormat::bgra),
        {}};
    picture.pixels.resize(picture.format.payloadBytes);
    const auto* rows = reinterpret_cast<const std::byte*>(cairo_image_surface_get_data(surface.get()));
    const int stride = cairo_image_surface_get_stride(surface.get());
    const std::size_t rowBytes = picture.format.planes[0].stride;
    for (int row = 0; row < down; ++row) {
        std::copy_n(rows + std::ptrdiff_t{row} * stride, rowBytes,
                    picture.pixels.begin() + static_cast<std::ptrdiff_t>(row * rowBytes));
    }
    return picture;
}

}  // namespace verbcast
