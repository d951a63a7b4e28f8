// All colours of the windows, in a dark and a light palette. Nothing else in app/window/ names a colour
// (tests/style).
#pragma once

#include <QColor>

namespace verbcast::theme {

/// Contrast with both backgrounds is at least 4.5:1 for text and marks, 3:1 for rings and outlines (WCAG 2.1;
/// tests/window/style/theme_test.cpp).
struct Colours {
    QColor surface;  ///< background of windows, dialogs and the strip
    QColor raised;   ///< background of fields, lists and buttons
    QColor line;     ///< rules and frames; background of a menu's current line
    QColor edge;     ///< of fields
    QColor outline;  ///< of check boxes
    QColor text;
    QColor muted;  ///< captions and explanations
    QColor disabled;
    QColor accent;  ///< headings, throughput, the keyboard focus ring
    QColor second;  ///< frame rate, p99, what waits for the user
    QColor third;   ///< shared memory
    QColor warning;
    QColor recording;
    QColor selection, selectedText;
    QColor primary, primaryHover, primaryText;  ///< a page's main button
};

inline constexpr Colours kDark{.surface{0x17, 0x1a, 0x1f},
                               .raised{0x22, 0x27, 0x2e},
                               .line{0x33, 0x3a, 0x44},
                               .edge{0x4a, 0x53, 0x60},
                               .outline{0x93, 0x9d, 0xac},
                               .text{0xe2, 0xe6, 0xec},
                               .muted{0x93, 0x9d, 0xac},
                               .disabled{0x6a, 0x72, 0x7e},
                               .accent{0x5a, 0xc8, 0xb4},
                               .second{0xe3, 0xb3, 0x6a},
                               .third{0x7a, 0xb0, 0xf0},
                               .warning{0xee, 0x78, 0x6c},
                               .recording{0xff, 0x4d, 0x4d},
                               .selection{0x32, 0x6f, 0x64},
                               .selectedText{0xe2, 0xe6, 0xec},
                               .primary{0x1c, 0x3e, 0x38},
                               .primaryHover{0x25, 0x53, 0x4b},
                               .primaryText{0xe2, 0xe6, 0xec}};

inline constexpr Colours kLight{.surface{0xf3, 0xf4, 0xf6},
                                .raised{0xff, 0xff, 0xff},
                                .line{0xd5, 0xd9, 0xdf},
                                .edge{0xa9, 0xb0, 0xba},
                                .outline{0x6f, 0x78, 0x85},
                                .text{0x1a, 0x1e, 0x24},
                                .muted{0x57, 0x60, 0x6c},
                                .disabled{0x8b, 0x93, 0x9e},
                                .accent{0x0b, 0x71, 0x63},
                                .second{0x87, 0x54, 0x00},
                                .third{0x1d, 0x5f, 0xae},
                                .warning{0xb5, 0x28, 0x1e},
                                .recording{0xc8, 0x10, 0x2e},
                                .selection{0x0b, 0x71, 0x63},
                                .selectedText{0xff, 0xff, 0xff},
                                .primary{0x0e, 0x81, 0x72},
                                .primaryHover{0x0b, 0x71, 0x63},
                                .primaryText{0xff, 0xff, 0xff}};

// What belongs to the picture is dark in both palettes, so that the picture stands out.
inline constexpr const Colours& kOverVideo = kDark;
inline constexpr QColor kCanvas{0x0e, 0x10, 0x13};  ///< around the picture, and behind text over it
inline constexpr QColor kDimming{0, 0, 0, 150};     ///< over the picture, under a message
inline constexpr QColor kBlack{0, 0, 0};            ///< background of a kiosk, modules of a QR code
inline constexpr QColor kWhite{255, 255, 255};      ///< background of a QR code: readers expect dark on light

}  // namespace verbcast::theme
