#include "app/commands/compose/mosaic/sound/sound_desk.h"

#include <algorithm>
#include <utility>

namespace verbcast {

namespace {

using Way = mosaic::AudioFrom::Way;

}  // namespace

SoundDesk::SoundDesk(const mosaic::AudioFrom& from, std::chrono::nanoseconds pictureDelay)
    : pictureDelay_(pictureDelay), scene_{.from = from} {}

void SoundDesk::choose(const mosaic::AudioFrom& from) {
    const std::lock_guard lock(mutex_);
    scene_.from = from;
}

void SoundDesk::show(Inputs inputs, std::size_t focus) {
    const std::lock_guard lock(mutex_);
    mosaic::AudioFrom& from = scene_.from;
    if (from.way == Way::Input && from.input < scene_.inputs.size()) {
        const auto stays = std::ranges::find(inputs, scene_.inputs[from.input]);
        if (stays != inputs.end()) {
            from.input = static_cast<std::size_t>(stays - inputs.begin());
        } else if (inputs.size() < scene_.inputs.size()) {  // else it was replaced
            from = {};
        }
    }
    scene_.inputs = std::move(inputs);
    scene_.focus = focus;
}

void SoundDesk::pictureDrawn(double media, TimestampNs at) {
    {
        const std::lock_guard lock(mutex_);
        scene_.media = media;
        scene_.drawnAt = at;
    }
    news_.notify();
}

SoundDesk::Scene SoundDesk::scene() const {
    const std::lock_guard lock(mutex_);
    return scene_;
}

/// Null: nobody.
std::shared_ptr<InputSound> SoundDesk::chosen(const Scene& scene) {
    const bool byFocus = scene.from.way == Way::Focus;
    const std::size_t number = byFocus ? scene.focus : scene.from.input;
    auto asked = number < scene.inputs.size() ? scene.inputs[number] : nullptr;
    if (!byFocus || (asked && asked->hasSounded())) {
        return asked;
    }
    const auto first = std::ranges::find_if(scene.inputs, &InputSound::hasSounded);
    return first != scene.inputs.end() ? *first : nullptr;
}

bool SoundDesk::nextOf(const Scene& scene, double now, PlacedSound& block) {
    const bool mixes = scene.from.way == Way::Mix;
    auto turn = mixes || scene.from.way == Way::None ? nullptr : chosen(scene);
    if (turn != last_) {
        last_ = std::move(turn);
        begin_ = end_;
    }
    return mixes ? mix_.next(scene.inputs, now, block) : last_ && last_->next(now, block);
}

bool SoundDesk::next(PlacedSound& block) {
    const Scene scene = this->scene();
    if (scene.drawnAt == 0) {
        return false;
    }
    const double now = scene.media + static_cast<double>(nowNs() - scene.drawnAt) * 1e-9;
    while (nextOf(scene, now, block)) {
        if (block.begin() >= begin_) {
            end_ = block.end();
            return true;
        }
    }
    return false;
}

}  // namespace verbcast
