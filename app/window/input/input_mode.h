// Whether keys and mouse go to the viewer or to the sender.
#pragma once

#include <cstdint>

class QEvent;

namespace verbcast {

enum class InputState {
    NoStream,  ///< no sender is connected
    Refused,   ///< the sender accepts no input
    Off,       ///< the sender accepts input, but keys and mouse go to the viewer
    On,        ///< keys and mouse go to the sender
};

/// A switch that the user sets and the sender may override. The mode survives a lost connection: what the
/// user goes on typing must not become commands to the viewer.
class InputMode {
  public:
    explicit InputMode(bool wanted) : wanted_(wanted) {}

    /// Sets the user's choice. Returns true if that changes what keys do.
    bool want(bool wanted);
    bool wanted() const { return wanted_; }

    /// Sets the session's state. Returns true if that changes what keys do.
    bool update(bool streaming, bool allowed);

    /// There is no stream any more: keys are the viewer's. Returns true if that changes what keys do.
    bool leave();

    bool on() const { return on_; }
    InputState state() const;

  private:
    bool wanted_;
    bool streaming_ = false;
    bool allowed_ = false;
    bool on_ = false;
};

/// Ctrl+Alt+I, for keyboards without a right Ctrl: switches the mode, and always belongs to the viewer.
bool isInputChord(const QEvent& event);

/// Right Ctrl, which always belongs to the viewer: pressed alone it switches the mode; while it is held, keys
/// and mouse control the viewer.
class HostKey {
  public:
    enum class Meaning {
        Nothing,  ///< no host key involved
        Taken,    ///< the host key itself
        Switch,   ///< it was pressed and released alone
        Viewer,   ///< for the viewer, since the host key is held
    };
    Meaning see(const QEvent& event, bool nativeIsKeysym);

  private:
    Meaning seeKey(bool pressed, bool repeated, bool isHostKey);

    bool held_ = false;
    bool alone_ = false;
};

}  // namespace verbcast
