// One list of each page's settings: their keys in session files, and the options that they become.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "app/window/settings/session.h"

namespace verbcast {

/// Sources as a set: which of them a setting is for.
using SourceSet = std::uint32_t;
constexpr SourceSet setOf(std::initializer_list<SourceKind> kinds) {
    SourceSet set = 0;
    for (const SourceKind kind : kinds) {
        set |= SourceSet{1} << static_cast<unsigned>(kind);
    }
    return set;
}
inline constexpr SourceSet kAllSources = ~SourceSet{0};
inline constexpr SourceSet kHasSize = kAllSources & ~setOf({SourceKind::Screen}),
                           kHasFormat = setOf({SourceKind::Pattern, SourceKind::File, SourceKind::Camera}),
                           kForwardsInput =
                               setOf({SourceKind::Screen, SourceKind::Scene, SourceKind::Program}),
                           kSendsSound = kHasFormat | setOf({SourceKind::Screen}),
                           kIsFile = setOf({SourceKind::File});

constexpr bool isFor(SourceSet sources, SourceKind kind) {
    return (sources & setOf({kind})) != 0;
}

struct PageSetting {
    const char* key;                  ///< in session files
    const char* option = "";          ///< "--size"; empty: command_composer.cpp knows what becomes of it
    SourceSet sources = kAllSources;  ///< others have no such option
};

template <typename Settings, typename Visit>
void visitTrust(Settings& trust, Visit&& visit) {
    visit(PageSetting{"key_file"}, trust.keyFile);
    visit(PageSetting{"encrypt"}, trust.encrypt);
    visit(PageSetting{"open"}, trust.open);
    visit(PageSetting{"grant"}, trust.grants);
}

/// Calls visit(setting, field) for each, in the order of session files and of command lines.
template <typename Settings, typename Visit>
void visitSend(Settings& send, Visit&& visit) {
    visit(PageSetting{"source"}, send.source);
    visit(PageSetting{"pattern"}, send.pattern);
    visit(PageSetting{"file"}, send.file);
    visit(PageSetting{"loop", "--loop", kIsFile}, send.loop);
    visit(PageSetting{"decoder", "--decoder", kIsFile}, send.decoder);
    visit(PageSetting{"screen"}, send.screen);
    visit(PageSetting{"camera"}, send.camera);
    visit(PageSetting{"scene"}, send.scene);
    visit(PageSetting{"program"}, send.program);
    visit(PageSetting{"size", "--size", kHasSize}, send.size);
    visit(PageSetting{"format", "--format", kHasFormat}, send.format);
    visit(PageSetting{"rate", "--fps"}, send.rate);
    visit(PageSetting{"audio", "--audio", kSendsSound}, send.audio);
    visit(PageSetting{"policy", "--policy"}, send.policy);
    visit(PageSetting{"listen"}, send.listen);
    visit(PageSetting{"listen_address"}, send.listenAddress);
    visit(PageSetting{"peer"}, send.peer);
    visit(PageSetting{"allow_input", "--allow-input", kForwardsInput}, send.allowInput);
    visitTrust(send.trust, visit);
    visit(PageSetting{"preview"}, send.preview);
}

template <typename Settings, typename Visit>
void visitView(Settings& view, Visit&& visit) {
    visit(PageSetting{"listen"}, view.listen);
    visit(PageSetting{"address"}, view.address);
    visit(PageSetting{"layout", "--layout"}, view.layout);
    visit(PageSetting{"streams"}, view.streams);
    visit(PageSetting{"panes"}, view.panes);
    visit(PageSetting{"align", "--align"}, view.align);
    visit(PageSetting{"delay"}, view.delay);
    visit(PageSetting{"fullscreen", "--fullscreen"}, view.fullscreen);
    visit(PageSetting{"input", "--input"}, view.input);
    visitTrust(view.trust, visit);
}

}  // namespace verbcast
