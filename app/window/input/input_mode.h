// Whose keys and mouse they are: the viewer's or the sender's.
#pragma once

#include <cstdint>

class QEvent;

namespace verbcast {

enum class InputState {
    NoStream,  ///< nobody is there to take input
    Refused,   ///< the sender takes none
    Off,       ///< the sender would take it; keys and mouse are the viewer's
    On,        ///< keys and mouse are the sender's
};

/// A switch that the user sets and the sender may override. While a connection is lost the mode stays: what
/// is typed on must not become commands to the viewer.
class InputMode {
  public:
    explicit InputMode(bool wanted) : wanted_(wanted) {}

    /// The user's wish. True when it changes what keys do.
    bool want(bool wanted);
    bool wanted() const { return wanted_; }

    /// What the session says now. True when it changes what keys do.
    bool update(bool streaming, bool allowed);

    bool on() const { return on_; }
    InputState state() const;

  private:
    bool wanted_;
    bool streaming_ = false;
    bool allowed_ = false;
    bool on_ = false;
};

/// Right Ctrl, the key that belongs to the viewer in either mode: alone it switches the mode; with it held,
/// keys and mouse do what they do in the viewer.
class HostKey {
  public:
    enum class Meaning {
        Nothing,  ///< as if there were no host key
        Taken,    ///< the key itself
        Switch,   ///< it went up alone
        Viewer,   ///< for the viewer, because the key is held
    };
    Meaning see(const QEvent& event, bool nativeIsKeysym);

  private:
    Meaning seeKey(bool pressed, bool repeated, bool isHostKey);

    bool held_ = false;
    bool alone_ = false;
};

}  // namespace verbcast
