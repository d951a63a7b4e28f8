#include "core/alsa/alsa_devices.h"

#include <alsa/asoundlib.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace verbcast {
namespace {

// Each card has some twenty names: those that take any format are enough, and plugins that only convert to
// "default" are no devices.
constexpr std::string_view kLeftOut[] = {
    "hw:",        "front:",    "surround", "dmix:", "dsnoop:", "sysdefault", "usbstream", "lavrate",
    "samplerate", "speexrate", "jack",     "oss",   "speex",   "upmix",      "vdownmix",  "pulse"};

struct FreeHints {
    void operator()(void** hints) const { snd_device_name_free_hint(hints); }
};

std::string hint(const void* entry, const char* key) {
    const std::unique_ptr<char, decltype(&std::free)> value(snd_device_name_get_hint(entry, key), &std::free);
    return value ? value.get() : "";
}

bool isLeftOut(std::string_view name) {
    return std::ranges::any_of(kLeftOut, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

SoundDevices alsaDevices(SoundDirection direction) {
    snd_config_update_free_global();  // what has been plugged in since
    void** list = nullptr;
    const int result = snd_device_name_hint(-1, "pcm", &list);
    if (result < 0) {
        return {.devices = {}, .problems = {std::string("ALSA: ") + snd_strerror(result)}};
    }
    const std::unique_ptr<void*, FreeHints> hints(list);
    SoundDevices found;
    const char* const other = direction == SoundDirection::Output ? "Input" : "Output";
    for (void** entry = list; *entry != nullptr; ++entry) {
        const std::string name = hint(*entry, "NAME");
        if (name.empty() || isLeftOut(name) || hint(*entry, "IOID") == other) {
            continue;
        }
        std::string description = hint(*entry, "DESC");
        std::ranges::replace(description, '\n', ',');
        found.devices.push_back({.name = std::string(kAlsaPrefix) + name,
                                 .description = description.empty() ? name : description,
                                 .detail = "ALSA",
                                 .isDefault = name == "default"});
    }
    if (std::ranges::all_of(found.devices,
                            [](const SoundDevice& each) { return each.name == "alsa:null"; })) {
        found.problems.emplace_back(direction == SoundDirection::Output ? "ALSA has no device that plays"
                                                                        : "ALSA has no device that records");
    }
    return found;
}

}  // namespace verbcast
