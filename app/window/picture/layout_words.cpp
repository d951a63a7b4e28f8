#include "app/window/picture/layout_words.h"

#include <QCoreApplication>

namespace verbcast {
namespace {

struct LayoutWords {
    Q_DECLARE_TR_FUNCTIONS(verbcast::LayoutWords)
};

}  // namespace

QString layoutWord(Layout layout) {
    switch (layout) {
        case Layout::Grid:
            return LayoutWords::tr("Grid");
        case Layout::Focus:
            return LayoutWords::tr("One large");
        case Layout::Side:
            return LayoutWords::tr("Side by side");
        case Layout::Pip:
            return LayoutWords::tr("Picture in picture");
        case Layout::Wipe:
            return LayoutWords::tr("Wipe");
        case Layout::Difference:
            return LayoutWords::tr("Difference");
        case Layout::Free:
            return LayoutWords::tr("Free");
        case Layout::StereoSide:
            return LayoutWords::tr("Stereo, side by side");
        case Layout::StereoHalf:
            return LayoutWords::tr("Stereo, half width");
        case Layout::Anaglyph:
            return LayoutWords::tr("Stereo, anaglyph");
        case Layout::Interlaced:
            return LayoutWords::tr("Stereo, interlaced");
        case Layout::PageFlip:
            break;
    }
    return LayoutWords::tr("Stereo, page flip");
}

}  // namespace verbcast
