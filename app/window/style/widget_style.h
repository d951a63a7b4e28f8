// Draws widgets that a style sheet cannot draw well.
#pragma once

class QStyle;

namespace verbcast::theme {

/// Fusion with clearly visible check boxes and a keyboard focus ring. The caller takes ownership.
QStyle* makeWidgetStyle();

}  // namespace verbcast::theme
