// What the main window's pages are set to. No Qt: settings become command lines and files elsewhere.
#pragma once

#include <string>

#include "core/session/trust/trust.h"

namespace verbcast {

enum class SourceKind { Pattern, File, Screen, Camera, Scene, Program };

/// Whom a page lets in. The key itself is never part of it.
struct TrustSettings {
    std::string keyFile{};  ///< path; empty: none of a file
    bool encrypt = false;
    bool open = false;        ///< listening: also hosts without a key
    Grants grants = kMayAll;  ///< listening: of those who are let in

    friend bool operator==(const TrustSettings&, const TrustSettings&) = default;
};

/// The page to send. Each kind of source keeps its own choice while another is selected. Texts are as the
/// command line takes them; empty means its default.
struct SendSettings {
    SourceKind source = SourceKind::Pattern;
    std::string pattern = "bars";
    std::string file{};
    bool loop = false;     ///< files start again at their end
    std::string screen{};  ///< "monitor=HDMI-1", "window=0x1400007", "rect=1280x720+0+0"; empty: all of it
    std::string camera{};  ///< "/dev/video0"; empty: the first
    std::string scene = "waves";
    std::string program{};  ///< with its arguments, as typed into a shell
    std::string size{}, format{}, rate{}, policy{};
    bool listen = true;
    std::string listenAddress{};
    std::string peer{};  ///< where to connect to, unless `listen`
    bool allowInput = false;
    TrustSettings trust{};
    bool preview = true;  ///< show the source before it is sent

    friend bool operator==(const SendSettings&, const SendSettings&) = default;
};

/// The page to view.
struct ViewSettings {
    bool listen = false;
    std::string address{};  ///< of several senders: with spaces between them
    std::string layout{};   ///< of several streams
    std::string streams{};  ///< listening: how many senders are taken
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
