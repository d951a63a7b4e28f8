// Options common to all commands that send.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/options/option_list.h"
#include "app/cli/stream_options.h"
#include "app/host/pacer.h"
#include "capture/picture_memory.h"
#include "core/stream/broadcast.h"
#include "core/video/change_finder.h"

namespace verbcast {

struct SendingOptions : StreamOptions {
    SenderOptions sender{};  ///< but for its policy
    Pacing pacing = Pacing::Source;
    Rational rate{0, 1};             ///< Pacing::Rate
    std::optional<Policy> policy{};  ///< nullopt: live sources Latest, files Lossless
    ChangesFrom changes = ChangesFrom::Auto;
    PictureMemory memory = PictureMemory::Host;  ///< where the ring is; DmaBuf: only render
    std::string whyHost{};                       ///< Auto that came out as Host: what needs the processor
    int statsDescriptor = -1;                    ///< statistics go there each second; -1: nowhere
    bool control = false;                        ///< standard input controls the source; see PlaybackControl
};

/// How viewers are served, and what is sent to them.
void addSending(OptionList& list, SendingOptions& options);
/// --preview: for those whose source has kPreviewSlots more.
void addPreview(OptionList& list, SenderOptions& sender);
/// --fps: a number, or one of the words in `value`, "N|source|max".
void addFps(OptionList& list, SendingOptions& options, const char* value, const char* help);
void addPolicy(OptionList& list, SendingOptions& options, const char* help);
void addAllowInput(OptionList& list, SendingOptions& options, const char* help);
/// --memory: one of these.
void addMemory(OptionList& list, SendingOptions& options, const std::vector<std::string>& choices,
               const char* help);

/// PictureMemory::Auto becomes Host where what was asked for needs the processor. Call when all else is
/// known.
void settleMemory(SendingOptions& options);
/// With PictureMemory::Auto: Host, for that reason.
void keepInHost(SendingOptions& options, const std::string& reason);

/// Those of the session, with that policy.
SenderOptions senderOptions(const SendingOptions& options, Policy policy);

}  // namespace verbcast
