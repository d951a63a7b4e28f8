#include "app/window/parts/log_news.h"

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include <QDialog>
#include <QDialogButtonBox>
#include <QPlainTextEdit>
#include <QTime>
#include <QVBoxLayout>
#include <functional>
#include <memory>
#include <utility>

#include "app/window/parts/core_words.h"
#include "app/window/parts/window_words.h"
#include "app/window/style/theme.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

constexpr qsizetype kLoggedLinesKept = 200;

/// No lock: the log passes on one message at a time.
class LogListener final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
  public:
    explicit LogListener(std::function<void(const QString&)> hear) : hear_(std::move(hear)) {
        set_level(spdlog::level::warn);
    }

  private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        hear_(QString::fromUtf8(message.payload.data(), static_cast<qsizetype>(message.payload.size())));
    }
    void flush_() override {}

    std::function<void(const QString&)> hear_;
};

}  // namespace

LogNews::LogNews(QObject* parent) : QObject(parent) {
    copyLogTo(std::make_shared<LogListener>([this](const QString& text) {
        QMetaObject::invokeMethod(
            this, [this, text] { add(text); }, Qt::QueuedConnection);
    }));
}

LogNews::~LogNews() {
    copyLogTo(nullptr);
}

void LogNews::add(const QString& text) {
    if (isInvitation(text)) {
        return;
    }
    const QString words = sentence(inWindowWords(text));
    lines_ << QTime::currentTime().toString("HH:mm:ss") + "  " + words;
    if (lines_.size() > kLoggedLinesKept) {
        lines_.removeFirst();
    }
    Q_EMIT said(words);
}

void LogNews::showAll(QWidget* parent) const {
    QDialog dialog(parent);
    dialog.setWindowTitle(tr("Verbcast - Messages"));
    auto* text = new QPlainTextEdit(lines_.join('\n'), &dialog);
    text->setReadOnly(true);
    text->setTabChangesFocus(true);
    text->setAccessibleName(tr("Messages"));
    auto* close = new QDialogButtonBox(QDialogButtonBox::Close, &dialog);
    connect(close, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* column = new QVBoxLayout(&dialog);
    column->addWidget(text);
    column->addWidget(close);
    dialog.resize(theme::line() * 40, theme::line() * 20);
    dialog.exec();
}

}  // namespace verbcast
