// What to ask the portal for, and the token that lets us ask again without its dialog.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace verbcast {

/// Kinds of sources, as bits of the portal's "types".
inline constexpr std::uint32_t kPortalMonitor = 1, kPortalWindow = 2;

/// "monitor", "window", or "screen" for both.
const char* kindName(std::uint32_t types);

struct ScreenChoice {
    std::uint32_t types = kPortalMonitor | kPortalWindow;
    bool askAgain = false;  ///< even if the desktop remembers an answer
};

/// Parses what follows "screen:portal=": "", "monitor", "window" or "ask". Throws Error{Usage}.
ScreenChoice parseScreenChoice(std::string_view what);

/// Keeps the portal's restore token for one kind of choice in a file of this user
/// ($XDG_STATE_HOME/verbcast/). A token is valid once: each start yields the next.
class RestoreToken {
  public:
    explicit RestoreToken(std::uint32_t types);

    /// "" if there is none.
    std::string load() const;
    /// "" deletes it. False: it could not be written, and the desktop will ask again.
    bool save(const std::string& token) const;
    const std::string& path() const { return path_; }

  private:
    std::string path_;  // "": no home folder
};

}  // namespace verbcast
