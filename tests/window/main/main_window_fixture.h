// The main window on its own X server, and the programs that it starts.
#pragma once

#include <QFile>
#include <QFileInfo>

#include "tests/window/window_fixture.h"

namespace verbcast::testing {

struct Child {
    qint64 id = 0;
    QStringList words;  ///< the command line
};

/// A process's state, its parent and what follows in /proc/ID/stat; empty if there is no such process.
inline QList<QByteArray> statusOf(const QString& id) {
    QFile status("/proc/" + id + "/stat");
    if (!status.open(QIODevice::ReadOnly)) {
        return {};
    }
    // "ID (NAME) STATE PARENT ...", where the name may contain any character.
    const QByteArray text = status.readAll();
    return text.mid(text.lastIndexOf(')') + 2).split(' ');
}

inline bool isAlive(qint64 id) {
    const QList<QByteArray> status = statusOf(QString::number(id));
    return !status.isEmpty() && status[0] != "Z";
}

inline QList<Child> childrenOf(qint64 process) {
    QList<Child> children;
    for (const QString& id : QDir("/proc").entryList(QDir::Dirs)) {
        const QList<QByteArray> status = statusOf(id);
        QFile command("/proc/" + id + "/cmdline");
        if (status.size() < 2 || status[0] == "Z" || status[1].toLongLong() != process ||
            !command.open(QIODevice::ReadOnly)) {
            continue;
        }
        QStringList words;
        for (const QByteArray& word : command.readAll().split('\0')) {
            words << QString::fromUtf8(word);
        }
        words.removeLast();  // the empty word after the last terminator
        children.append({id.toLongLong(), words});
    }
    return children;
}

class MainWindowTest : public WindowTest {
  protected:
    static constexpr QRgb kWarning = qRgb(0xee, 0x78, 0x6c);

    void open(const QStringList& arguments = {}) {
        window_ = std::make_unique<Verbcast>(arguments, folder(), x_.display(), through_);
        x_.movePointer(640, 600);
        ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast"));
        // The preview's program runs: startup is complete.
        ASSERT_TRUE(eventually([&] { return runs("--listen"); })) << window_->errors();
    }

    /// Waits for the window and gives it keyboard focus.
    void turnTo(const QString& title) {
        ASSERT_TRUE(eventually([&] { return x_.hasWindow(title); }))
            << title.toStdString() << " does not come: " << window_->errors();
        ASSERT_TRUE(eventually([&] { return x_.focus(title); })) << title.toStdString() << " takes no keys";
    }
    /// Waits until the window is gone, then focuses the main window.
    void returnFrom(const QString& title) {
        ASSERT_TRUE(eventually([&] { return !x_.hasWindow(title); })) << title.toStdString() << " stays";
        ASSERT_TRUE(eventually([&] { return x_.focus("Verbcast"); }));
    }

    /// The child whose command line contains this word; an empty one if there is none.
    Child running(const QString& word) const {
        for (const Child& child : childrenOf(window_->processId())) {
            if (child.words.contains(word)) {
                return child;
            }
        }
        return {};
    }
    bool runs(const QString& word) const { return running(word).id != 0; }
    /// With exactly these words. While `verbcast` becomes the program that has a window, it has none.
    bool runsWith(const QStringList& words) const {
        return eventually([&] { return running(words.front()).words.mid(1) == words; });
    }

    void type(const QString& field, const QString& text) {
        x_.key(field);
        x_.key("ctrl+a");
        x_.input({"type", "--delay", "5", text});
    }

    /// Number of pixels in the warning colour.
    int alarmingPixels() const { return pixels({0, 0, XServer::kWidth, XServer::kHeight}, kWarning); }
    bool tellsAProblem() const { return alarmingPixels() > 100; }

    QString copied() {
        x_.key("ctrl+shift+c");
        return x_.clipboard();
    }

    void close() {
        x_.key("ctrl+q");
        EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
    }
};

}  // namespace verbcast::testing
