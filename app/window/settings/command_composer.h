// Settings as the command line that does the same.
#pragma once

#include <QCoreApplication>
#include <optional>
#include <string>
#include <vector>

#include "app/window/settings/session.h"
#include "core/base/error.h"

namespace verbcast {

/// Words of a command line, behind "verbcast".
using Words = std::vector<std::string>;

/// Which of the settings a kind of source understands; the others are left out of its command line.
struct SourceAbilities {
    bool size = false, format = false, policy = false, input = false;
    /// It can be opened for a look before it is sent.
    bool preview = true;
};
SourceAbilities abilitiesOf(SourceKind kind);

/// Nothing is wrong, but something has still to be chosen.
class MissingSetting : public Error {
    Q_DECLARE_TR_FUNCTIONS(verbcast::MissingSetting)

  public:
    MissingSetting(const QString& message, const QString& remedy)
        : Error(ErrorKind::Usage, message.toStdString(), remedy.toStdString()) {}
};

/// Whether --open applies: only when listening, and without a key.
bool opensToAnybody(const TrustSettings& trust, bool listen);

/// How the window watches the program that it starts.
struct Watch {
    int statsDescriptor = -1;
    std::string preview;  ///< shm://NAME
};

/// What sends as the page is set. `watch` adds options, and changes none. Throws MissingSetting, and
/// Error{Usage} for what makes no sense; the program itself judges the values.
Words sendCommand(const SendSettings& settings, const std::optional<Watch>& watch = std::nullopt);

/// What shows the source at that address, to nobody else, in the size, format and rate that would be sent.
Words previewCommand(const SendSettings& settings, const std::string& address);

/// What views as the page is set. Throws likewise.
Words viewCommand(const ViewSettings& settings);

/// "verbcast send ..." as typed into a shell.
std::string shellLine(const Words& words);

/// Throws Error{Usage} for what the program would refuse before it does anything.
void checkCommand(const Words& words);

}  // namespace verbcast
