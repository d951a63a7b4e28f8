#include "app/wall/wall_drawing.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text/clean_text.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr double kWidth = 1200;  // of the drawing
constexpr double kMargin = 24;
constexpr double kCaption = 34;  // below the canvas

struct Box {
    double x, y, width, height;
};

class Drawing {
  public:
    explicit Drawing(const Wall& wall) : wall_(wall), scale_((kWidth - 2 * kMargin) / wall.width) {}

    std::string text() {
        const double height = wall_.height * scale_;
        svg_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:.1f}\" viewBox=\"0 0 "
            "{0:g} {1:.1f}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" "
            "fill=\"#ffffff\"/>\n"
            "<rect x=\"{2:g}\" y=\"{2:g}\" width=\"{3:.1f}\" height=\"{4:.1f}\" fill=\"#e7e9ee\" "
            "stroke=\"#9aa0ac\" stroke-dasharray=\"6 4\"/>\n",
            kWidth, height + 2 * kMargin + kCaption, kMargin, kWidth - 2 * kMargin, height);
        for (const WallDisplay& display : wall_.displays) {
            draw(display);
        }
        for (const WallSource& source : wall_.sources) {
            draw(source);
        }
        svg_ += fmt::format(
            "<text x=\"{:g}\" y=\"{:.1f}\" font-size=\"16\" fill=\"#40454f\">picture of {}x{} pixels, "
            "{}{}</text>\n</svg>\n",
            kMargin, height + 2 * kMargin + 16, wall_.width, wall_.height,
            counted(wall_.displays.size(), "display"), legend());
        return svg_;
    }

  private:
    std::string legend() const {
        const auto any = [this](auto&& has) { return std::ranges::any_of(wall_.displays, has); };
        std::string text;
        if (any([](const WallDisplay& display) { return display.rotation != 0; })) {
            text += "; a thick line is the top of a screen that shows it rotated";
        }
        if (any([](const WallDisplay& display) { return display.blend.any(); })) {
            text += "; brown is where displays blend";
        }
        if (!wall_.sources.empty()) {
            text += "; dashed green is what a source sends";
        }
        return text;
    }
    Box boxOf(const FrameRect& rect) const {
        return {kMargin + rect.x * scale_, kMargin + rect.y * scale_, rect.width * scale_,
                rect.height * scale_};
    }
    void fill(const Box& box, const char* style) {
        svg_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n",
                            box.x, box.y, box.width, box.height, style);
    }
    void draw(const WallDisplay& display) {
        const Box box = boxOf(display.rectangle);
        fill(box, "fill=\"#3d6fb6\" fill-opacity=\"0.28\" stroke=\"#24487c\" stroke-width=\"1.5\"");
        const EdgeBlend& blend = display.blend;
        constexpr const char* kBlend = "fill=\"#d98324\" fill-opacity=\"0.22\"";
        const auto side = [&](const Box& part, std::uint32_t pixels) {
            if (pixels > 0) {
                fill(part, kBlend);
            }
        };
        side({box.x, box.y, blend.left * scale_, box.height}, blend.left);
        side({box.x + box.width - blend.right * scale_, box.y, blend.right * scale_, box.height},
             blend.right);
        side({box.x, box.y, box.width, blend.top * scale_}, blend.top);
        side({box.x, box.y + box.height - blend.bottom * scale_, box.width, blend.bottom * scale_},
             blend.bottom);
        label(display, box);
        if (display.rotation != 0) {
            screenTop(display, box);
        }
    }
    void draw(const WallSource& source) {
        const Box box = boxOf(source.rectangle);
        fill(box, "fill=\"none\" stroke=\"#2b8a3e\" stroke-width=\"2.5\" stroke-dasharray=\"10 6\"");
        svg_ += fmt::format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" fill=\"#2b8a3e\">{}</text>\n", box.x + 6,
            box.y + 18, std::clamp(box.width / 12, 6.0, 15.0), escapedXml(source.name));
    }
    void label(const WallDisplay& display, const Box& box) {
        const FrameRect& rect = display.rectangle;
        const std::string place = fmt::format("{}x{} at {},{}", rect.width, rect.height, rect.x, rect.y);
        const double size =
            std::clamp(std::min(box.height / 6, box.width / (0.62 * (1.0 + place.size()))), 3.0, 22.0);
        const double x = box.x + box.width / 2, y = box.y + box.height / 2;
        svg_ += fmt::format(
            "<text x=\"{0:.1f}\" y=\"{1:.1f}\" font-size=\"{2:.1f}\" font-weight=\"bold\" "
            "text-anchor=\"middle\" fill=\"#14263f\">{3}</text>\n<text x=\"{0:.1f}\" y=\"{4:.1f}\" "
            "font-size=\"{5:.1f}\" text-anchor=\"middle\" fill=\"#14263f\">{6}</text>\n",
            x, y, size * 1.2, escapedXml(display.name), y + size * 1.3, size, place);
        std::string more = display.rotation != 0 ? fmt::format("turned {}°", display.rotation) : "";
        more += display.warps() ? (more.empty() ? "warped" : ", warped") : "";
        if (!more.empty()) {
            svg_ += fmt::format(
                "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" text-anchor=\"middle\" "
                "fill=\"#14263f\">{}</text>\n",
                x, y + size * 2.6, size, more);
        }
    }
    /// Draws a thick line at the side of the picture that is at the unrotated screen's top.
    void screenTop(const WallDisplay& display, const Box& box) {
        constexpr double kThick = 5;
        const Box top = display.rotation == 90 ? Box{box.x, box.y, kThick, box.height}
                        : display.rotation == 180
                            ? Box{box.x, box.y + box.height - kThick, box.width, kThick}
                            : Box{box.x + box.width - kThick, box.y, kThick, box.height};
        fill(top, "fill=\"#24487c\"");
    }

    const Wall& wall_;
    const double scale_;
    std::string svg_;
};

}  // namespace

std::string wallDrawing(const Wall& wall) {
    return Drawing(wall).text();
}

}  // namespace verbcast
