// Settings of the main window's pages. No Qt: other files turn them into command lines and JSON.
#pragma once

#include <string>

#include "core/session/trust/trust.h"

namespace verbcast {

enum class SourceKind { Pattern, File, Screen, Camera, Scene, Program };

/// Who may connect. Never contains the key itself.
struct TrustSettings {
    std::string keyFile{};  ///< path; empty: no key file
    bool encrypt = false;
    bool open = false;        ///< listening: also accept hosts without a key
    Grants grants = kMayAll;  ///< listening: what those accepted may do

    friend bool operator==(const TrustSettings&, const TrustSettings&) = default;
};

/// The page to send. Each kind of source keeps its own choice while another is selected. Texts are as on the
/// command line; empty means the default.
struct SendSettings {
    SourceKind source = SourceKind::Pattern;
    std::string pattern = "bars";
    std::string file{};
    bool loop = false;      ///< files restart at their end
    std::string decoder{};  ///< of files; empty: auto
    std::string screen{};   ///< "monitor=HDMI-1", "window=0x1400007", "rect=1280x720+0+0"; empty: all of it
    std::string camera{};   ///< "/dev/video0"; empty: the first
    std::string scene = "waves";
    std::string program{};  ///< with arguments, as typed into a shell
    std::string size{}, format{}, rate{}, policy{};
    std::string audio{};  ///< "none", "tone", a device; empty: auto
    bool listen = true;
    std::string listenAddress{};
    std::string peer{};  ///< address to connect to, unless `listen`
    bool allowInput = false;
    TrustSettings trust{};
    bool preview = true;  ///< show the source before it is sent

    friend bool operator==(const SendSettings&, const SendSettings&) = default;
};

/// The page to view.
struct ViewSettings {
    bool listen = false;
    std::string address{};  ///< several senders: separated by spaces
    std::string layout{};   ///< of several streams
    std::string streams{};  ///< listening: how many senders are accepted
    std::string panes{};    ///< of the free layout: as --panes takes it
    std::string align{};    ///< of several streams: as --align takes it, empty: newest
    std::string delay{};    ///< aligned: milliseconds
    bool fullscreen = false;
    bool input = false;
    TrustSettings trust{};

    friend bool operator==(const ViewSettings&, const ViewSettings&) = default;
};

struct Session {
    SendSettings send;
    ViewSettings view;

    friend bool operator==(const Session&, const Session&) = default;
};

}  // namespace verbcast
