#include "app/wall/wall_command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/cli/option_values.h"
#include "app/wall/tile_region.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr double kMaxMillimetres = 10'000;
constexpr double kMaxGap = 4096;  // pixels

std::optional<double> amountIn(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
    return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

/// Returns 0 if the text is no count of displays.
std::uint32_t countIn(std::string_view text) {
    constexpr double kMaxSide = 10'000;
    const double value = amountIn(text).value_or(0);
    return value <= kMaxSide && value == std::floor(value) ? static_cast<std::uint32_t>(value) : 0;
}

/// Parses "3x2".
void parseGrid(const std::string& text, std::string_view what, std::uint32_t& columns, std::uint32_t& rows) {
    const std::size_t cross = std::min(text.find('x'), text.size());
    columns = countIn(std::string_view(text).substr(0, cross));
    rows = countIn(std::string_view(text).substr(std::min(cross + 1, text.size())));
    if (columns == 0 || rows == 0) {
        throw Error(ErrorKind::Usage, fmt::format("{} {}: COLUMNSxROWS expected, both from 1", what, text),
                    fmt::format("for example {} 3x2", what));
    }
}

/// Parses one value of --bezel to pixels: "20", "20px", "12mm".
std::uint32_t gapPixels(std::string_view text, const std::string& all, const std::string& pitch) {
    const bool millimetres = text.ends_with("mm");
    if (millimetres || text.ends_with("px")) {
        text.remove_suffix(2);
    }
    const auto value = amountIn(text);
    if (!value || *value > kMaxMillimetres) {
        throw Error(ErrorKind::Usage, fmt::format("--bezel {}: pixels or millimetres expected", all),
                    "for example --bezel 24, --bezel 24,30 (between columns, between rows) or --bezel 7mm "
                    "--pitch 0.53");
    }
    double pixels = *value;
    if (millimetres) {
        const auto size = amountIn(pitch);
        if (!size || *size < 0.01 || *size > 100) {
            throw Error(ErrorKind::Usage,
                        pitch.empty()
                            ? fmt::format("--bezel {}: the size of a pixel expected, too", all)
                            : fmt::format("--pitch {}: millimetres from 0.01 to 100 expected", pitch),
                        "add --pitch MM: a screen's visible width in millimetres by its pixels across");
        }
        pixels = std::round(*value / *size);
    }
    if (pixels > kMaxGap || pixels != std::floor(pixels)) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("--bezel {}: whole pixels from 0 to {:g} expected, not {:g}", all, kMaxGap, pixels));
    }
    return static_cast<std::uint32_t>(pixels);
}

/// Parses one value for both directions, or two.
template <typename Parse>
void parsePair(const std::string& text, std::uint32_t& first, std::uint32_t& second, Parse&& parse) {
    const std::size_t comma = text.find(',');
    first = parse(std::string_view(text).substr(0, comma));
    second = comma == std::string::npos ? first : parse(std::string_view(text).substr(comma + 1));
}

std::uint32_t overlapPixels(std::string_view text, const std::string& all) {
    const auto value = amountIn(text);
    if (!value || *value > kMaxGap || *value != std::floor(*value)) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--overlap {}: whole pixels from 0 to {:g} expected", all, kMaxGap),
                    "for example --overlap 96, or --overlap 96,64 (between columns, between rows)");
    }
    return static_cast<std::uint32_t>(*value);
}

}  // namespace

WallCommandLine::WallCommandLine(CLI::App& app)
    : wall_(app.add_subcommand("wall",
                               "Describe a wall of displays, each of which shows a part of a picture")) {
    wall_->footer(
        "A wall is a JSON file; docs/walls.md describes it. Each display runs its own viewer,\n"
        "which is sent only its part of the picture.\n"
        "Examples:\n"
        "  verbcast wall new 3x2 --bezel 24 --output wall.json\n"
        "  verbcast wall check wall.json\n"
        "  verbcast wall show wall.json --output wall.svg\n"
        "  verbcast view --wall wall.json --tile 1-2 --kiosk render1");
    wall_->require_subcommand(1);
    new_ = wall_->add_subcommand("new", "Create the file of a wall of equal displays");
    new_->add_option("GRID", grid_, "Columns and rows, for example 3x2")
        ->required()
        ->type_name("COLUMNSxROWS");
    new_->add_option("--size", size_, "Pixels of each display (default: 1920x1080)")->type_name("WxH");
    new_->add_option("--bezel", bezel_,
                     "How much of the picture the bezels between two displays hide, both together:\n"
                     "pixels, or with --pitch millimetres (7mm); two values: between columns, between rows")
        ->type_name("PX|MMmm[,...]");
    new_->add_option("--pitch", pitch_, "Millimetres of a pixel, for --bezel in millimetres")
        ->type_name("MM");
    new_->add_option("--overlap", overlap_,
                     "Pixels by which neighbouring displays (projectors) overlap; they blend there;\n"
                     "two values: between columns, between rows")
        ->type_name("PX[,PX]");
    new_->add_option("--rotate", rotate_,
                     "Turn the picture on each screen, clockwise: 90 for portrait displays")
        ->type_name("0|90|180|270");
    new_->add_option("--fit", fit_,
                     "Pictures of another aspect ratio: fit (whole, with black beside them; default), fill\n"
                     "(cut off at two sides) or stretch (out of proportion)")
        ->check(CLI::IsMember({"fit", "fill", "stretch"}));
    new_->add_option(
            "--sources", sources_,
            "Divide the picture into parts, each sent by its own renderer (verbcast render --wall);\n"
            "a display shows a picture when all parts of it have arrived")
        ->type_name("COLUMNSxROWS");
    new_->add_option("--conductor", conductor_,
                     "The source whose --sync says when all displays show: of 3x1, part-1-1 to part-1-3")
        ->type_name("NAME");
    new_->add_option("--output", output_, "Write to this file (default: standard output)")->type_name("FILE");
    new_->add_flag("--force", force_, "Replace an existing file");
    check_ = wall_->add_subcommand("check", "List the displays, and all errors in the file");
    check_->add_option("FILE", file_, "The file of a wall")->required();
    check_->add_option("--picture", picture_, "Say how pictures of this size are shown")->type_name("WxH");
    show_ = wall_->add_subcommand("show", "Draw the wall, as SVG");
    show_->add_option("FILE", file_, "The file of a wall")->required();
    show_->add_option("--output", output_, "Write to this file (default: standard output)")
        ->type_name("FILE.svg");
}

bool WallCommandLine::parsed() const {
    return wall_->parsed();
}

NewWallOptions WallCommandLine::finishNew() const {
    NewWallOptions options;
    options.output = output_;
    options.force = force_;
    options.conductor = conductor_;
    options.fit = parseFit(fit_).value_or(CanvasFit::Fit);
    if (!fit_.empty() && !sources_.empty()) {
        throw Error(ErrorKind::Usage, "--fit with --sources: pictures of a source have exactly its size",
                    "leave one of the two out");
    }
    parseGrid(grid_, "wall new", options.columns, options.rows);
    if (!sources_.empty()) {
        parseGrid(sources_, "--sources", options.sourceColumns, options.sourceRows);
    }
    if (!size_.empty()) {
        parseSize(size_, options.screenWidth, options.screenHeight);
    }
    if (!bezel_.empty()) {
        parsePair(bezel_, options.gapX, options.gapY,
                  [this](std::string_view text) { return gapPixels(text, bezel_, pitch_); });
    }
    if (!overlap_.empty()) {
        parsePair(overlap_, options.overlapX, options.overlapY,
                  [this](std::string_view text) { return overlapPixels(text, overlap_); });
    }
    if ((options.gapX > 0 && options.overlapX > 0) || (options.gapY > 0 && options.overlapY > 0)) {
        throw Error(ErrorKind::Usage, "--bezel and --overlap: displays have bezels between them or overlap",
                    "leave one of them out");
    }
    if (!rotate_.empty()) {
        const auto turn = amountIn(rotate_);
        if (!turn || std::fmod(*turn, 90) != 0 || *turn >= 360) {
            throw Error(ErrorKind::Usage, fmt::format("--rotate {}: 0, 90, 180 or 270 expected", rotate_));
        }
        options.rotation = static_cast<std::uint16_t>(*turn);
    }
    return options;
}

WallOptions WallCommandLine::finish() const {
    if (check_->parsed()) {
        CheckWallOptions options{file_};
        if (!picture_.empty()) {
            parseSize(picture_, options.pictureWidth, options.pictureHeight, "--picture");
        }
        return options;
    }
    if (!show_->parsed()) {
        return finishNew();
    }
    if (!output_.empty() && output_ != "-" && !output_.ends_with(".svg")) {
        throw Error(ErrorKind::Usage,
                    fmt::format("wall show --output {}: a name that ends with .svg expected", output_));
    }
    return ShowWallOptions{file_, output_};
}

}  // namespace verbcast
