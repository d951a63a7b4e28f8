#include "app/wall/wall_command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

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

/// "3x2"
Value<WallGrid> gridValue() {
    return {[](const std::string& name, const std::string& text) {
                const std::size_t cross = std::min(text.find('x'), text.size());
                const WallGrid grid{countIn(std::string_view(text).substr(0, cross)),
                                    countIn(std::string_view(text).substr(std::min(cross + 1, text.size())))};
                if (grid.columns == 0 || grid.rows == 0) {
                    const std::string what = name == "GRID" ? "wall new" : name;
                    throw Error(ErrorKind::Usage,
                                fmt::format("{} {}: COLUMNSxROWS expected, both from 1", what, text),
                                fmt::format("for example {} 3x2", what));
                }
                return grid;
            },
            [](const WallGrid& grid) { return fmt::format("{}x{}", grid.columns, grid.rows); }};
}

/// One value for both directions, or two: "24", "24,30".
template <typename T>
Value<std::pair<T, T>> pairValue(const Value<T>& one) {
    return {[parse = one.parse](const std::string& name, const std::string& text) {
                const std::size_t comma = text.find(',');
                const T first = parse(name, text.substr(0, comma));
                return std::pair(first,
                                 comma == std::string::npos ? first : parse(name, text.substr(comma + 1)));
            },
            [write = one.text](const std::pair<T, T>& both) {
                const std::string first = write(both.first);
                const std::string second = write(both.second);
                return first == second ? first : first + "," + second;
            }};
}

/// "20", "20px", "12mm"
Value<BezelWidth> bezelValue() {
    return {[](const std::string& name, const std::string& text) {
                std::string_view number = text;
                const bool millimetres = number.ends_with("mm");
                if (millimetres || number.ends_with("px")) {
                    number.remove_suffix(2);
                }
                const auto amount = amountIn(number);
                if (!amount || *amount > kMaxMillimetres) {
                    throw Error(ErrorKind::Usage,
                                fmt::format("{} {}: pixels or millimetres expected", name, text),
                                "for example --bezel 24, --bezel 24,30 (between columns, between rows) or "
                                "--bezel 7mm --pitch 0.53");
                }
                return BezelWidth{*amount, millimetres};
            },
            [](const BezelWidth& width) {
                return fmt::format("{:g}{}", width.amount, width.millimetres ? "mm" : "");
            }};
}

constexpr const char* kPitchRemedy =
    "add --pitch MM: a screen's visible width in millimetres by its pixels across";

Value<double> pitchValue() {
    return {[](const std::string& name, const std::string& text) {
                const auto size = amountIn(text);
                if (!size || *size < 0.01 || *size > 100) {
                    throw Error(ErrorKind::Usage,
                                fmt::format("{} {}: millimetres from 0.01 to 100 expected", name, text),
                                kPitchRemedy);
                }
                return *size;
            },
            [](double pitch) { return fmt::format("{:g}", pitch); }};
}

std::uint32_t pixelsOf(const BezelWidth& width, const std::optional<double>& pitch) {
    const std::string shown = bezelValue().text(width);
    if (width.millimetres && !pitch) {
        throw Error(ErrorKind::Usage, fmt::format("--bezel {}: the size of a pixel expected, too", shown),
                    kPitchRemedy);
    }
    const double pixels = width.millimetres ? std::round(width.amount / *pitch) : width.amount;
    if (pixels > kMaxGap || pixels != std::floor(pixels)) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--bezel {}: whole pixels from 0 to {:g} expected, not {:g}", shown, kMaxGap,
                                pixels));
    }
    return static_cast<std::uint32_t>(pixels);
}

Value<std::uint32_t> overlapValue() {
    return {[](const std::string& name, const std::string& text) {
                const auto value = amountIn(text);
                if (!value || *value > kMaxGap || *value != std::floor(*value)) {
                    throw Error(
                        ErrorKind::Usage,
                        fmt::format("{} {}: whole pixels from 0 to {:g} expected", name, text, kMaxGap),
                        "for example --overlap 96, or --overlap 96,64 (between columns, between rows)");
                }
                return static_cast<std::uint32_t>(*value);
            },
            [](std::uint32_t pixels) { return std::to_string(pixels); }};
}

Value<std::uint16_t> rotationValue() {
    return choiceValue<std::uint16_t>({{"0", 0}, {"90", 90}, {"180", 180}, {"270", 270}});
}

Value<CanvasFit> fitValue() {
    std::vector<std::pair<std::string, CanvasFit>> fits;
    for (const CanvasFit fit : {CanvasFit::Fit, CanvasFit::Fill, CanvasFit::Stretch}) {
        fits.emplace_back(nameOf(fit), fit);
    }
    return choiceValue(fits);
}

Value<std::string> drawingValue() {
    return {[](const std::string& name, const std::string& text) {
                if (text != "-" && !text.ends_with(".svg")) {
                    throw Error(
                        ErrorKind::Usage,
                        fmt::format("wall show {} {}: a name that ends with .svg expected", name, text));
                }
                return text;
            },
            [](const std::string& path) { return path; }};
}

}  // namespace

WallCommandLine::WallCommandLine(Command& verbcast)
    : wall_(verbcast.add("wall", "Describe a wall of displays, each of which shows a part of a picture")),
      new_(wall_.add("new", "Create the file of a wall of equal displays")),
      check_(wall_.add("check", "List the displays, and all errors in the file")),
      show_(wall_.add("show", "Draw the wall, as SVG")) {
    wall_.needsCommand = true;
    wall_.remarks.text =
        "A wall is a JSON file; docs/walls.md describes it. Each display runs its own viewer, which is sent "
        "only its part of the picture.";
    wall_.remarks.examples =
        "verbcast wall new 3x2 --bezel 24 --output wall.json\n"
        "verbcast wall check wall.json\n"
        "verbcast wall show wall.json --output wall.svg\n"
        "verbcast view --wall wall.json --tile 1-2 --kiosk render1";
    addNew();
    check_.options.add(argument("", "FILE", "The file of a wall").file().needed(), checkOptions_.file);
    check_.options.add(option("", "--picture", "WxH", "Say how pictures of this size are shown"),
                       checkOptions_.picture, sizeValue());
    show_.options.add(argument("", "FILE", "The file of a wall").file().needed(), showOptions_.file);
    show_.options.add(
        option("", "--output", "FILE.svg", "Write to this file (default: standard output)").file(),
        showOptions_.output, drawingValue());
}

void WallCommandLine::addNew() {
    OptionList& list = new_.options;
    list.add(argument("", "GRID", "Columns and rows, for example 3x2").needed(), grid_, gridValue());
    addDisplays(list);
    list.add(option("", "--fit", "fit|fill|stretch",
                    "Pictures of another aspect ratio: fit (whole, with black beside them), fill (cut off "
                    "at two sides) or stretch (out of proportion)"),
             newOptions_.fit, fitValue());
    list.add(option("", "--sources", "COLUMNSxROWS",
                    "Divide the picture into parts, each sent by its own renderer (verbcast render "
                    "--wall); a display shows a picture when all parts of it have arrived"),
             sources_, gridValue());
    list.add(option("", "--conductor", "NAME",
                    "The source whose --sync says when all displays show: of 3x1, part-1-1 to part-1-3"),
             newOptions_.conductor);
    list.add(option("", "--output", "FILE", "Write to this file (default: standard output)").file(),
             newOptions_.output);
    list.add(flag("", "--force", "Replace an existing file"), newOptions_.force);
}

void WallCommandLine::addDisplays(OptionList& list) {
    list.add(option("", "--size", "WxH", "Pixels of each display"), size_, sizeValue());
    list.add(option("", "--bezel", "PX|MMmm[,...]",
                    "How much of the picture the bezels between two displays hide, both together: pixels, "
                    "or with --pitch millimetres (7mm); two values: between columns, between rows"),
             bezel_, pairValue(bezelValue()));
    list.add(option("", "--pitch", "MM", "Millimetres of a pixel, for --bezel in millimetres"), pitch_,
             pitchValue());
    list.add(option("", "--overlap", "PX[,PX]",
                    "Pixels by which neighbouring displays (projectors) overlap; they blend there; two "
                    "values: between columns, between rows"),
             overlap_, pairValue(overlapValue()));
    list.add(option("", "--rotate", "0|90|180|270",
                    "Turn the picture on each screen, clockwise: 90 for portrait displays"),
             newOptions_.rotation, rotationValue());
}

NewWallOptions WallCommandLine::finishNew() const {
    NewWallOptions options = newOptions_;
    if (sources_ && new_.options.given("--fit")) {
        throw Error(ErrorKind::Usage, "--fit with --sources: pictures of a source have exactly its size",
                    "leave one of the two out");
    }
    options.columns = grid_->columns;
    options.rows = grid_->rows;
    if (sources_) {
        options.sourceColumns = sources_->columns;
        options.sourceRows = sources_->rows;
    }
    options.screenWidth = size_.width;
    options.screenHeight = size_.height;
    options.gapX = pixelsOf(bezel_.first, pitch_);
    options.gapY = pixelsOf(bezel_.second, pitch_);
    std::tie(options.overlapX, options.overlapY) = overlap_;
    if ((options.gapX > 0 && options.overlapX > 0) || (options.gapY > 0 && options.overlapY > 0)) {
        throw Error(ErrorKind::Usage, "--bezel and --overlap: displays have bezels between them or overlap",
                    "leave one of them out");
    }
    return options;
}

WallOptions WallCommandLine::finish() const {
    if (show_.chosen) {
        return showOptions_;
    }
    return check_.chosen ? WallOptions(checkOptions_) : finishNew();
}

}  // namespace verbcast
