// The viewer's window without its senders: what keys and dialogs do to its streams.
#include <QComboBox>
#include <QFileDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QTimer>

#include "app/cli/peer_options.h"
#include "app/window/parts/help_sheet.h"
#include "app/window/settings/recent_addresses.h"
#include "app/window/settings/session_file.h"
#include "app/window/style/theme.h"
#include "app/window/trust/pairing_offer.h"
#include "app/window/viewer/connect_dialog.h"
#include "app/window/viewer/viewer_window.h"
#include "core/session/messages/session_end.h"
#include "core/stream/shared_session.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

const char* const kRails = "tcp://127.0.0.2:1,tcp://127.0.0.3:1";  // nobody listens there

StreamPeer peerOf(const std::string& address) {
    return StreamPeer{parsePeer(address)};
}

class ViewerWindowTest : public WidgetTest {
  protected:
    void open(const std::vector<StreamPeer>& peers) {
        ViewOptions options;
        options.peers = peers;
        controller_ = std::make_unique<ViewerController>(options);
        window_ =
            std::make_unique<ViewerWindow>(*controller_, std::make_unique<VideoSurface>(UploadPath::Direct));
    }
    /// Both pictures of a stereo pair, over one session.
    static std::vector<StreamPeer> stereoPair(const std::string& address) {
        StreamPeer left = peerOf(address);
        left.session = std::make_shared<SharedSession>();
        StreamPeer right = left;
        right.track = kMainTrack + 1;
        return {left, right};
    }
    void press(int key, Qt::KeyboardModifiers modifiers = {}, bool again = false) {
        QKeyEvent event(QEvent::KeyPress, key, modifiers, {}, again);
        QCoreApplication::sendEvent(window_.get(), &event);
    }
    /// By its key and dialog. False if there was no dialog.
    bool save(const QString& path) {
        bool asked = false;
        QTimer::singleShot(0, window_.get(), [&] {
            if (auto* dialog = window_->findChild<QFileDialog*>()) {
                asked = true;
                dialog->selectFile(path);
                QMetaObject::invokeMethod(dialog, "accept");
            }
        });
        press(Qt::Key_S, Qt::ControlModifier);
        QCoreApplication::processEvents();
        return asked;
    }

    std::unique_ptr<ViewerController> controller_;
    std::unique_ptr<ViewerWindow> window_;
};

TEST_F(ViewerWindowTest, OncePairedAllStreamsOfTheHostGoOnAsTheyWere) {
    std::vector<StreamPeer> peers = stereoPair(kRails);
    peers.push_back(peerOf("tcp://127.0.0.4:1"));
    open(peers);
    for (std::size_t stream = 0; stream < 3; ++stream) {
        controller_->feed(stream).fail(
            std::make_exception_ptr(PairingNeeded(ErrorKind::Peer, "only paired hosts are served")));
    }
    const auto asksFor = [&](const QString& host) {
        const auto* dialog = window_->findChild<PairingDialog*>();
        return dialog != nullptr &&
               std::ranges::any_of(dialog->findChildren<QLabel*>(),
                                   [&](const QLabel* label) { return label->text().contains(host); });
    };
    ASSERT_TRUE(asksFor("127.0.0.2"));
    window_->findChild<PairingDialog*>()->close();
    ASSERT_TRUE(eventually([&] { return !asksFor("127.0.0.2"); }));
    Q_EMIT window_->findChild<PairingOffer*>()->paired(peers.front().url);
    for (std::size_t stream = 0; stream < 2; ++stream) {
        const StreamFeed& feed = controller_->feed(stream);
        EXPECT_FALSE(feed.failure()) << stream;
        EXPECT_EQ(feed.peer().session, peers[stream].session);
        EXPECT_EQ(feed.peer().track, peers[stream].track);
        EXPECT_EQ(addressText(feed.peer()), kRails);
    }
    EXPECT_TRUE(controller_->feed(2).needsPairing());
    EXPECT_TRUE(asksFor("127.0.0.4")) << "the next one is not asked for";
}

TEST_F(ViewerWindowTest, AKeyThatCannotBeUsedChangesNothing) {
    open({peerOf("shm://nobody")});
    const std::string missing = file("missing.key").toStdString();
    EXPECT_THROW(controller_->connectTo(0, parsePeer("shm://other"), missing), Error);
    EXPECT_THROW(static_cast<void>(controller_->add(parsePeer("shm://other"), missing)), Error);
    EXPECT_EQ(controller_->streams(), 1U);
    EXPECT_EQ(controller_->feed().peer().url.text(), "shm://nobody");
    EXPECT_EQ(controller_->feed().keyFile(), "");
    EXPECT_FALSE(controller_->feed().failure());
}

TEST_F(ViewerWindowTest, TheSessionKeepsRails) {
    open({peerOf(kRails), peerOf("shm://other")});
    const QString path = file("rails.verbcast");
    ASSERT_TRUE(save(path));
    EXPECT_EQ(readSession(path.toStdString()).view.address, kRails + std::string(" shm://other"));
}

TEST_F(ViewerWindowTest, AStereoPairOfOneStreamIsNotSavedAsTwo) {
    open(stereoPair("shm://pair"));
    EXPECT_FALSE(save(file("pair.verbcast")));
}

TEST_F(ViewerWindowTest, AKeyThatIsHeldDownActsOnce) {
    open({peerOf("shm://nobody")});
    press(Qt::Key_Space);
    EXPECT_TRUE(window_->video().paused());
    press(Qt::Key_Space, {}, true);
    EXPECT_TRUE(window_->video().paused());
    press(Qt::Key_Delete, {}, true);
    EXPECT_FALSE(controller_->feed().vacant());
}

TEST_F(ViewerWindowTest, AHiddenCursorStaysSoWhenTheViewChanges) {
    open({peerOf("shm://nobody")});
    window_->video().setCursor(Qt::BlankCursor);
    press(Qt::Key_0);
    EXPECT_EQ(window_->video().cursor().shape(), Qt::BlankCursor);
}

TEST_F(ViewerWindowTest, TheDialogTakesRailsAndOffersOneSenderAtATime) {
    const RecentStream several{"shm://one shm://two"}, rails{kRails};
    rememberStream(several);
    rememberStream(rails);
    ConnectDialog dialog(std::nullopt, {});
    auto& address = *dialog.findChild<QComboBox*>();
    EXPECT_EQ(address.currentText(), "");
    EXPECT_EQ(address.findText(several.address), -1);
    address.setCurrentIndex(address.findText(rails.address));
    EXPECT_EQ(addressText(dialog.address()), kRails);
    forgetStream(several);
    forgetStream(rails);
}

TEST_F(ViewerWindowTest, TheListOfKeysFitsOnASmallScreen) {
    const HelpSheet sheet(HelpSheet::viewerKeys());
    // The smallest desktop, less a frame and a title bar.
    EXPECT_LE(sheet.minimumSizeHint().height(), 720 - theme::line() * 5 / 2);
}

}  // namespace
}  // namespace verbcast::testing
