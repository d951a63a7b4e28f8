// What a stream requires of a machine.
#pragma once

#include <cstdint>
#include <string>

#include "app/commands/doctor/machine/doctor_options.h"

namespace verbcast {

/// Slots per ring assumed in the requirements: the default of send and view.
inline constexpr std::uint32_t kRingSlots = 8;

struct StreamNeed {
    std::string name;  ///< "3840x2160 rgba at 60 fps"
    double fps = 0;
    double bytesPerPixel = 0;
    double bytesPerSecond = 0;    ///< of payload
    std::uint64_t ringBytes = 0;  ///< kRingSlots slots
    double gigabytes() const { return bytesPerSecond / 1e9; }
    double gigabits() const { return bytesPerSecond * 8 / 1e9; }
};

/// How to shrink the stream: "a smaller stream: verbcast send SOURCE --format nv12 --fps 30".
std::string smallerStream(const StreamNeed& need);

StreamNeed streamNeed(const DoctorOptions& options);

}  // namespace verbcast
