#include "app/wall/wall_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "app/wall/object_reader.h"
#include "app/wall/tile_region.h"
#include "app/wall/wall_findings.h"
#include "core/base/error.h"
#include "core/base/text/clean_text.h"
#include "core/transport/url.h"
#include "core/video/video_format.h"

namespace verbcast {
namespace {

using WallJson = nlohmann::json;
using Findings = std::vector<std::string>;

constexpr std::uint32_t kFileVersion = 1;
constexpr std::size_t kMaxFileBytes = 4U << 20;
constexpr const char* kCornerNames[] = {"top_left", "top_right", "bottom_right", "bottom_left"};
// Corners may be a little off the screen, as when a projector is meant to shine beside it.
constexpr double kMinCorner = -1, kMaxCorner = 2;
constexpr double kMinGamma = 0.2, kMaxGamma = 5;

/// Throws WallJson::exception with the library's text, and Error{Input} for duplicate members.
WallJson parseJson(std::string_view text) {
    std::vector<std::set<std::string>> members;
    const auto watch = [&members](int, WallJson::parse_event_t event, WallJson& value) {
        if (event == WallJson::parse_event_t::object_start) {
            members.emplace_back();
        } else if (event == WallJson::parse_event_t::object_end) {
            members.pop_back();
        } else if (event == WallJson::parse_event_t::key &&
                   !members.back().insert(value.get<std::string>()).second) {
            throw Error(ErrorKind::Input, fmt::format("the member \"{}\" appears twice in one object",
                                                      cleanText(value.get<std::string>(), 60)));
        }
        return true;
    };
    return WallJson::parse(text, watch);
}

/// "parse error at line 3, column 7: ...", without the library's prefix.
std::string plainWords(const std::string& what) {
    const auto end = what.find("] ");
    return "no JSON: " + cleanText(end == std::string::npos ? what : what.substr(end + 2), 200);
}

ScreenCorners cornersFrom(const WallJson& json, const std::string& where, Findings& findings) {
    ScreenCorners corners = kScreenCorners;
    ObjectReader reader(json, where, findings);
    for (std::size_t i = 0; i < corners.size(); ++i) {
        if (const auto point = reader.numbers(kCornerNames[i], 2, kMinCorner, kMaxCorner, true)) {
            corners[i] = {point->at(0), point->at(1)};
        }
    }
    reader.refuseOthers();
    return corners;
}

EdgeBlend blendFrom(const WallJson& json, const std::string& where, Findings& findings) {
    EdgeBlend blend;
    ObjectReader reader(json, where, findings);
    for (const auto& [key, pixels] : {std::pair{"left", &blend.left},
                                      {"right", &blend.right},
                                      {"top", &blend.top},
                                      {"bottom", &blend.bottom}}) {
        *pixels = reader.whole(key, 0, kMaxDimension, false).value_or(0);
    }
    blend.gamma = reader.number("gamma", kMinGamma, kMaxGamma).value_or(blend.gamma);
    reader.refuseOthers();
    return blend;
}

DisplayColour colourFrom(const WallJson& json, const std::string& where, Findings& findings) {
    DisplayColour colour;
    ObjectReader reader(json, where, findings);
    if (const auto gain = reader.numbers("gain", 3, 0, 4)) {
        std::ranges::copy(*gain, colour.gain.begin());
    }
    colour.gamma = reader.number("gamma", kMinGamma, kMaxGamma).value_or(colour.gamma);
    colour.black = reader.number("black", 0, 0.5).value_or(colour.black);
    reader.refuseOthers();
    return colour;
}

FrameRect rectangleFrom(const WallJson& json, const std::string& where, Findings& findings) {
    ObjectReader reader(json, where, findings);
    FrameRect rect;
    const auto take = [&](const char* key, std::uint32_t least) {
        return static_cast<std::uint16_t>(reader.whole(key, least, kMaxDimension).value_or(least));
    };
    rect.x = take("x", 0);
    rect.y = take("y", 0);
    rect.width = take("width", kMinDimension);
    rect.height = take("height", kMinDimension);
    reader.refuseOthers();
    return rect;
}

/// Reads a member that is an object of its own.
template <typename Part>
void take(ObjectReader& reader, const char* key, bool mustBe, Part& into,
          Part (*from)(const WallJson&, const std::string& where, Findings&), Findings& findings) {
    if (const WallJson* part = mustBe ? reader.required(key) : reader.optional(key)) {
        into = from(*part, reader.pathOf(key), findings);
    }
}

std::string nameFrom(ObjectReader& reader) {
    const auto name = reader.text("name");
    if (name && (name->empty() || name->size() > kMaxDisplayNameBytes || cleanText(*name) != *name)) {
        reader.tell("name", fmt::format("\"{}\", 1 to {} bytes of printable text expected",
                                        cleanText(*name, 30), kMaxDisplayNameBytes));
        return cleanText(*name, kMaxDisplayNameBytes);
    }
    return name.value_or("");
}

WallDisplay displayFrom(const WallJson& json, std::size_t number, Findings& findings) {
    WallDisplay display;
    ObjectReader reader(json, fmt::format("displays[{}]", number), findings);
    display.name = nameFrom(reader);
    take(reader, "rectangle", true, display.rectangle, rectangleFrom, findings);
    if (const auto rotation = reader.whole("rotation", 0, 359, false)) {
        if (*rotation % 90 != 0) {
            reader.tell("rotation", fmt::format("{}, 0, 90, 180 or 270 expected", *rotation));
        } else {
            display.rotation = static_cast<std::uint16_t>(*rotation);
        }
    }
    take(reader, "corners", false, display.corners, cornersFrom, findings);
    take(reader, "blend", false, display.blend, blendFrom, findings);
    take(reader, "colour", false, display.colour, colourFrom, findings);
    reader.refuseOthers();
    return display;
}

WallSource sourceFrom(const WallJson& json, std::size_t number, Findings& findings) {
    WallSource source;
    ObjectReader reader(json, fmt::format("sources[{}]", number), findings);
    source.name = nameFrom(reader);
    take(reader, "rectangle", true, source.rectangle, rectangleFrom, findings);
    if (reader.optional("url") != nullptr) {
        if (const auto url = reader.text("url")) {
            try {
                source.url = parseUrl(*url).text();
            } catch (const Error& error) {
                reader.tell("url", cleanText(error.what(), 200));
            }
        }
    }
    reader.refuseOthers();
    return source;
}

void readCanvas(const WallJson& json, Wall& wall, Findings& findings) {
    ObjectReader reader(json, "canvas", findings);
    wall.width = reader.whole("width", kMinDimension, kMaxDimension).value_or(0);
    wall.height = reader.whole("height", kMinDimension, kMaxDimension).value_or(0);
    wall.gaps = reader.flag("gaps").value_or(false);
    if (reader.optional("fit") != nullptr) {
        if (const auto name = reader.text("fit"); name && !parseFit(*name)) {
            reader.tell("fit", fmt::format("\"{}\", fit, fill or stretch expected", cleanText(*name, 30)));
        } else if (name) {
            wall.fit = *parseFit(*name);
        }
    }
    reader.refuseOthers();
}

/// The members of displays or sources, at most `most`.
template <typename Part>
std::vector<Part> partsFrom(const WallJson& json, const char* key, std::size_t most,
                            Part (*from)(const WallJson&, std::size_t, Findings&), Findings& findings) {
    std::vector<Part> parts;
    if (!json.is_array() || json.empty() || json.size() > most) {
        findings.push_back(fmt::format("{}: {}, an array of 1 to {} expected", key, shown(json), most));
        return parts;
    }
    for (const WallJson& part : json) {
        parts.push_back(from(part, parts.size(), findings));
    }
    return parts;
}

void readConductor(ObjectReader& reader, Wall& wall) {
    if (const auto name = reader.text("conductor")) {
        wall.conductor = *name;
        if (name->empty()) {
            reader.tell("conductor", "\"\", the name of a source expected, or no such member");
        }
    }
}

nlohmann::ordered_json rectangleJson(const FrameRect& rect) {
    return {{"x", rect.x}, {"y", rect.y}, {"width", rect.width}, {"height", rect.height}};
}

nlohmann::ordered_json sourceJson(const WallSource& source) {
    nlohmann::ordered_json json{{"name", source.name}, {"rectangle", rectangleJson(source.rectangle)}};
    if (!source.url.empty()) {
        json["url"] = source.url;
    }
    return json;
}

nlohmann::ordered_json displayJson(const WallDisplay& display) {
    nlohmann::ordered_json json{{"name", display.name}, {"rectangle", rectangleJson(display.rectangle)}};
    if (display.rotation != 0) {
        json["rotation"] = display.rotation;
    }
    if (display.warps()) {
        for (std::size_t i = 0; i < display.corners.size(); ++i) {
            json["corners"][kCornerNames[i]] = {display.corners[i].x, display.corners[i].y};
        }
    }
    if (display.blend != EdgeBlend{}) {
        const EdgeBlend& blend = display.blend;
        json["blend"] = {{"left", blend.left},
                         {"right", blend.right},
                         {"top", blend.top},
                         {"bottom", blend.bottom},
                         {"gamma", blend.gamma}};
    }
    if (display.colour != DisplayColour{}) {
        const DisplayColour& colour = display.colour;
        json["colour"] = {{"gain", colour.gain}, {"gamma", colour.gamma}, {"black", colour.black}};
    }
    return json;
}

}  // namespace

ParsedWall parseWall(std::string_view text) {
    ParsedWall parsed;
    WallJson json;
    try {
        json = parseJson(text);
    } catch (const Error& twice) {
        parsed.findings.emplace_back(twice.what());
        return parsed;
    } catch (const WallJson::exception& error) {
        parsed.findings.push_back(plainWords(error.what()));
        return parsed;
    }
    ObjectReader reader(json, "", parsed.findings);
    static_cast<void>(reader.whole("verbcast_wall", kFileVersion, kFileVersion));
    if (const WallJson* canvas = reader.required("canvas")) {
        readCanvas(*canvas, parsed.wall, parsed.findings);
    }
    if (const WallJson* displays = reader.required("displays")) {
        parsed.wall.displays = partsFrom(*displays, "displays", kMaxDisplays, displayFrom, parsed.findings);
    }
    if (const WallJson* sources = reader.optional("sources")) {
        parsed.wall.sources = partsFrom(*sources, "sources", kMaxSources, sourceFrom, parsed.findings);
    }
    if (reader.optional("conductor") != nullptr) {
        readConductor(reader, parsed.wall);
    }
    reader.refuseOthers();
    if (parsed.findings.empty()) {  // otherwise unread parts would be reported twice
        parsed.findings = findingsOf(parsed.wall);
    }
    return parsed;
}

std::string readWallText(const std::string& path) {
    std::error_code failed;
    if (std::filesystem::is_directory(path, failed)) {
        throw Error(ErrorKind::Input, fmt::format("{} is a folder, a wall's file expected", path));
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throwErrno(ErrorKind::Input, "opening a wall's file", path, errno,
                   "make one: verbcast wall new 2x2 --output " + path);
    }
    std::string text(kMaxFileBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (file.bad()) {
        throw Error(ErrorKind::Input, fmt::format("reading {} failed", path));
    }
    if (text.size() > kMaxFileBytes) {
        throw Error(ErrorKind::Input,
                    fmt::format("{} is larger than the file of a wall can be: {} MiB at most expected", path,
                                kMaxFileBytes >> 20));
    }
    return text;
}

Wall readWall(const std::string& path) {
    ParsedWall parsed = parseWall(readWallText(path));
    if (!parsed.findings.empty()) {
        const std::size_t others = parsed.findings.size() - 1;
        throw Error(ErrorKind::Input,
                    fmt::format("{} is not a valid wall: {}{}", path, parsed.findings.front(),
                                others > 0 ? fmt::format(" (and {} more)", others) : ""),
                    "verbcast wall check " + path + " lists all errors");
    }
    return std::move(parsed.wall);
}

std::string wallText(const Wall& wall) {
    nlohmann::ordered_json json{{"verbcast_wall", kFileVersion},
                                {"canvas", {{"width", wall.width}, {"height", wall.height}}}};
    if (wall.gaps) {
        json["canvas"]["gaps"] = true;
    }
    if (wall.fit != CanvasFit::Fit) {
        json["canvas"]["fit"] = nameOf(wall.fit);
    }
    json["displays"] = nlohmann::ordered_json::array();
    for (const WallDisplay& display : wall.displays) {
        json["displays"].push_back(displayJson(display));
    }
    for (const WallSource& source : wall.sources) {
        json["sources"].push_back(sourceJson(source));
    }
    if (!wall.conductor.empty()) {
        json["conductor"] = wall.conductor;
    }
    return json.dump(2) + "\n";
}

}  // namespace verbcast
