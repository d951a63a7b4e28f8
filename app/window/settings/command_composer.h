// Turns settings into the equivalent command line.
#pragma once

#include <QCoreApplication>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/options/values.h"
#include "app/window/settings/session.h"
#include "core/base/error.h"

namespace verbcast {

/// Words of a command line, after "verbcast".
using Words = std::vector<std::string>;

/// The program, or the URL of a file that is not on this machine: settings may be somebody else's, so nothing
/// runs or opens it before the user has agreed to it by name, nor does a preview. Empty for other sources.
std::string needsConsent(const SendSettings& settings);

/// No mistake, but a setting is still to be chosen.
class MissingSetting : public Error {
    Q_DECLARE_TR_FUNCTIONS(verbcast::MissingSetting)

  public:
    MissingSetting(const QString& message, const QString& remedy)
        : Error(ErrorKind::Usage, message.toStdString(), remedy.toStdString()) {}
};

/// True if --open applies: only when listening without a key.
bool opensToAnybody(const TrustSettings& trust, bool listen);

/// How the window observes the program that it starts.
struct Watch {
    int statsDescriptor = -1;
    std::string preview;  ///< shm://NAME
};

/// The command that sends with these settings. `watch` only adds options. No setting's text can add another.
/// Throws MissingSetting, and Error{Usage} for settings that make no sense; the program itself
/// checks the values.
Words sendCommand(const SendSettings& settings, const std::optional<Watch>& watch = std::nullopt);

/// The command that shows the source at that address, to nobody else, in the size, format and rate to be
/// sent.
Words previewCommand(const SendSettings& settings, const std::string& address);

/// The command that views with these settings. Throws likewise.
Words viewCommand(const ViewSettings& settings);

/// The command that draws what a window with these settings shows into one picture of that size, and serves
/// it at an address of its own. `focus`: the number of the large one, from 1. Throws likewise.
Words composeCommand(const ViewSettings& settings, std::size_t focus, PictureSize size);

/// "verbcast send ...", quoted for a shell.
std::string shellLine(const Words& words);

/// Throws Error{Usage} for what the program would refuse before doing anything.
void checkCommand(const Words& words);

}  // namespace verbcast
