// What a stretch of sound is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace verbcast::testing {

/// How often it goes up through 0 in a second; nullopt: less than four times in all, or not regularly.
std::optional<double> pitchOf(std::span<const float> samples, std::uint32_t rate);

/// How loud all is that is further than 6 * rate / samples.size() from the pitch, in dB above the tone.
double noiseBeside(double pitch, std::span<const float> samples, std::uint32_t rate);

}  // namespace verbcast::testing
