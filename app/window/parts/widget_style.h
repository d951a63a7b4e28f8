// How widgets are drawn that a style sheet cannot draw well.
#pragma once

class QStyle;

namespace verbcast::theme {

/// Fusion, with boxes to tick that can be seen and a ring round what has the keyboard. The caller owns it.
QStyle* makeWidgetStyle();

}  // namespace verbcast::theme
