// Devices that play and record sound, as users name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

enum class SoundDirection { Output, Input };

/// What to do about a device that is not there.
enum class SoundChoice {
    IfThere,  ///< nothing
    Anyway    ///< wait for it
};

struct SoundDevice {
    std::string name;         ///< as users write it: "pipewire:alsa_output.pci-..."
    std::string description;  ///< for people
    std::string detail;       ///< "PipeWire, 2 channels"
    bool isDefault = false;
};

/// Those that there are now, and why there are none of a backend: "no PipeWire runs".
struct SoundDevices {
    std::vector<SoundDevice> devices;
    std::vector<std::string> problems;

    void add(SoundDevices others);
    /// For errors: "there are: alsa:null, ..." or "there are none: no PipeWire runs".
    std::string choices() const;
};

/// The words for a PipeWire and an ALSA device by a name that only one of them may know.
inline constexpr std::string_view kPipeWirePrefix = "pipewire:", kAlsaPrefix = "alsa:";

/// A name without the prefix of its backend. Without any prefix, both backends may know it.
struct SoundDeviceName {
    explicit SoundDeviceName(std::string_view written);

    std::string name;
    bool mayBePipeWire = true, mayBeAlsa = true;
};

}  // namespace verbcast
