// Files whose sound and pictures tell what time it is in them.
#pragma once

#include <QColor>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace verbcast::testing {

/// A time in one of the clips: 0 or 1.
struct Place {
    int clip = 0;
    double seconds = 0;
};

inline constexpr double kMaxClipSeconds = 7.5;
inline constexpr int kClipFps = 25;
inline constexpr float kClipPeak = 0.25F;

/// Makes a file: flat pictures whose red counts them and whose green counts down from 255, and 48 kHz mono
/// sound whose pitch rises by 500 Hz in a second. Each clip has a blue and pitches of its own.
void makeTimedClip(const std::string& path, int clip, double seconds);

/// What the picture of such a clip has everywhere.
QRgb timedColour(const Place& place);
/// Also dimmed. nullopt: a colour of none.
std::optional<Place> placeSeen(QRgb colour);
/// In the middle of some 10 ms of sound. nullopt: nothing that has one pitch. Sound that is played faster or
/// slower by half a per cent is up to 80 ms off.
std::optional<Place> placeHeard(std::span<const float> samples, std::uint32_t rate);

}  // namespace verbcast::testing
