// How the pictures of several streams share a window. Pure arithmetic, in device pixels.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "app/view/pane_places.h"
#include "render/stream_renderer.h"

namespace verbcast {

struct PicturePlace {
    std::size_t picture = 0;  ///< its number, from 0
    TargetRect area;          ///< whole pixels; the picture's aspect ratio, as nearly as they allow
    TargetRect clip;          ///< visible part of the area
    Blend blend{};

    friend bool operator==(const PicturePlace&, const PicturePlace&) = default;
};

struct LayoutRequest;

/// What a window does with the pictures of a layout besides drawing each in its place.
enum class LayoutWay {
    Plain,
    Wipe,        ///< two in one place, on either side of a line
    Difference,  ///< draws how much two differ
    Free,        ///< the user places them
    // Two pictures, one for each eye:
    StereoSide,
    StereoHalf,
    Anaglyph,
    Interlaced,
    PageFlip,
};

/// One of layouts(); layout.cpp describes how each places its pictures.
struct Layout {
    std::string_view name;            ///< on the command line
    std::string_view title, meaning;  ///< for people; the windows translate both (core_words.cpp)
    LayoutWay way;
    /// For two pictures or more: returns their places in drawing order; later ones cover earlier ones.
    std::vector<PicturePlace> (*place)(const std::vector<DisplaySize>&, const LayoutRequest&);

    bool isStereo() const { return way >= LayoutWay::StereoSide; }
};

/// The first is the default.
std::span<const Layout> layouts();
/// Throws Error{Internal} for other names.
const Layout& layoutNamed(std::string_view name);

struct LayoutRequest {
    const Layout* layout = &layouts().front();
    int width = 0, height = 0;           ///< of the target
    int gap = 0;                         ///< between pictures, and around them
    std::size_t focus = 0;               ///< the large picture
    double divider = 0.5;                ///< position of a wipe's line, as a fraction of the picture's width
    std::span<const PanePlace> panes{};  ///< of the free layout
    bool swapEyes = false;               ///< of a stereo layout: the second picture is for the left eye
    bool placesOne = false;              ///< a single picture, too, has its place: gaps around it
};

/// Returns a place for each picture that the layout shows. A single picture gets the whole target, whatever
/// its shape, unless LayoutRequest::placesOne. A size of 0 means that the picture has not come yet; its place
/// is 16:9.
std::vector<PicturePlace> layOut(const std::vector<DisplaySize>& pictures, const LayoutRequest& request);

/// The two pictures to compare: the one in focus and the next, the lower number first. `count` is at least
/// two.
std::pair<std::size_t, std::size_t> comparedPictures(std::size_t count, std::size_t focus);

}  // namespace verbcast
