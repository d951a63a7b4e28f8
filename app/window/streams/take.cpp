#include "app/window/streams/take.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <filesystem>
#include <system_error>

namespace verbcast {
namespace {

constexpr int kMaxNameLength = 60;

}  // namespace

Take::Take(const std::string& path, std::uint32_t slots, const StreamStats& before)
    : path_(path),
      droppedBefore_(before.framesDropped),
      recorder_(
          std::make_shared<Recorder>(RecorderOptions{.file = {.path = path, .container = Container::Matroska},
                                                     .slots = slots,
                                                     .soundMayBeAlone = before.framesTransferred == 0})),
      failure_(recorder_->ended().descriptor(), QSocketNotifier::Read) {
    connect(&failure_, &QSocketNotifier::activated, this, [this] {
        failure_.setEnabled(false);
        Q_EMIT failed();
    });
}

Take::~Take() {
    if (finishing_.valid()) {
        finishing_.wait();
    }
}

void Take::finish(std::uint64_t dropped) {
    failure_.setEnabled(false);
    // A stream that was opened again counts from 0.
    const std::uint64_t meanwhile = dropped - (dropped < droppedBefore_ ? 0 : droppedBefore_);
    finishing_ = std::async(std::launch::async, [this, meanwhile] {
                     FinishedTake take{.path = path_, .dropped = meanwhile};
                     try {
                         recorder_->finish(kTakePatience);
                     } catch (const std::exception& error) {
                         take.problem = error.what();
                     }
                     take.status = recorder_->status();
                     take.notes = recorder_->notes();
                     if (take.status.bytes == 0) {
                         std::error_code ignored;
                         std::filesystem::remove(path_, ignored);
                     }
                     QMetaObject::invokeMethod(this, &Take::ended, Qt::QueuedConnection);
                     return take;
                 }).share();
}

QString takePath(const QString& folder, const QString& stream) {
    static const QRegularExpression kUnfit("[^\\w.-]+", QRegularExpression::UseUnicodePropertiesOption);
    QString name = QString(stream).replace(kUnfit, "-").left(kMaxNameLength);
    name.remove(QRegularExpression("^[.-]+|[.-]+$"));
    const QString stem = QDir(folder).filePath((name.isEmpty() ? "stream" : name) +
                                               QDateTime::currentDateTime().toString("-yyyyMMdd-HHmmss"));
    QString path = stem + ".mkv";
    for (int number = 2; QFileInfo::exists(path); ++number) {
        path = QString("%1_%2.mkv").arg(stem).arg(number);
    }
    return path;
}

}  // namespace verbcast
