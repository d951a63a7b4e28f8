#include "app/window/trust/key_page.h"

#include <QDateTime>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QFrame>

#include "app/cli/shell_words.h"
#include "app/commands/key/key_file.h"
#include "app/window/parts/form.h"
#include "app/window/style/theme.h"
#include "app/window/trust/padlock.h"
#include "app/window/trust/paired_hosts_table.h"
#include "app/window/trust/paste_key_dialog.h"
#include "app/window/trust/qr_code.h"
#include "core/base/error.h"
#include "core/session/trust/session_key.h"

namespace verbcast {
namespace {

constexpr qint64 kMoreThanAKey = 8192;

QLabel* paragraph(const QString& text) {
    QLabel* label = mutedLabel(text);
    label->setWordWrap(true);
    return label;
}

/// Reads a key from a file of unknown origin, such as one on a USB stick. (The namespace is written out
/// because lupdate loses it in functions that return std::.)
std::string importedSecret(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        throw Error(
            ErrorKind::Usage,
            verbcast::KeyPage::tr("%1 cannot be read: %2").arg(path, file.errorString()).toStdString(),
            verbcast::KeyPage::tr("choose a file that you may read").toStdString());
    }
    std::string secret = file.read(kMoreThanAKey).toStdString();
    while (secret.ends_with('\n') || secret.ends_with('\r')) {
        secret.pop_back();
    }
    static_cast<void>(SessionKey::fromSecret(secret, path.toStdString()));
    return secret;
}

/// The command that copies the file to the same place on another machine.
QString copyCommandLine(const QString& file) {
    const QString there = shortPath(file);
    return QString::fromStdString(shellQuotedFromHome(
        std::vector<std::string>{"scp", "-p", file.toStdString(),
                                 "HOST:" + (there.startsWith("~/") ? there.mid(2) : there).toStdString()}));
}

}  // namespace

KeyPage::KeyPage(QWidget* parent)
    : QWidget(parent),
      key_(new KeyField(KeyField::None::No, this)),
      new_(buttonFor(
          this, &KeyPage::makeNew, tr("Make a &new key"),
          tr("Writes %1, which only you can read; never replaces one").arg(shortPath(defaultKeyPath())))),
      import_(buttonFor(this, &KeyPage::importFile, tr("I&mport a file..."),
                        tr("Checks a key file, and keeps a copy that only you can read"))),
      paste_(buttonFor(this, &KeyPage::paste, tr("&Paste..."),
                       tr("Keeps a key that was copied at the other machine"))),
      use_(primaryButton(tr("&Use for sending and viewing"), this)),
      icon_(new PadlockPicture(Protection::ThisHost, theme::line() * 3, this)),
      title_(new QLabel(this)),
      place_(plainLabel(this)),
      copy_(buttonFor(this, &KeyPage::copyKey, tr("Cop&y the key"),
                      tr("Into the clipboard, which other programs can read; cleared after 60 s"))),
      qrCode_(buttonFor(this, &KeyPage::showQrCode, tr("Show as &QR code..."),
                        tr("For a machine with a camera"))),
      news_(mutedLabel("", this)),
      problem_(new ProblemPanel(this)),
      command_(new CommandBar(this)) {
    sharing_ = makeSharing();
    layOutPage(*this, makeForm(), makeResults());
    connectParts();
    follow();
}

QWidget* KeyPage::makeForm() {
    use_->setToolTip(tr("Sets the Key field on the Send and View pages"));
    auto* grid = new FormGrid;
    grid->addHeading(tr("Key"));
    grid->addField(tr("&Key"), key_);
    grid->addField(key_->problemLabel());
    grid->addHeading(tr("Another one"));
    for (QPushButton* button : {new_, import_, paste_}) {
        grid->addField(button);
    }
    return formSide(this, {grid, Part::rest(), use_});
}

QWidget* KeyPage::makeCard() {
    const int line = theme::line();
    title_->setFont(theme::font(1.3, QFont::DemiBold));
    theme::setTone(*place_, theme::Tone::Muted);
    place_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a path may be too long to fit
    auto* card = new QFrame(this);
    theme::setFrame(*card, theme::Frame::Card);
    theme::setTone(*card, theme::Tone::Quiet);
    QHBoxLayout* row = rowOf(line, {icon_, Part(columnOf(line / 4, {title_, place_}), 1), copy_, qrCode_});
    row->setContentsMargins(line, line, line, line);
    card->setLayout(row);
    return card;
}

QWidget* KeyPage::makeResults() {
    const int line = theme::line();
    news_->setTextFormat(Qt::PlainText);
    news_->setAccessibleName(tr("State"));
    news_->setWordWrap(true);
    const Part gap = Part::space(line / 2);
    return panelOf(columnOf(line / 2, {makeCard(), news_, problem_, sharing_, gap,
                                       headingLabel(tr("Paired hosts")), Part(new PairedHostsTable(this), 1),
                                       gap, headingLabel(tr("What the padlocks mean")), makeLegend()}),
                   this);
}

QWidget* KeyPage::makeSharing() {
    const int line = theme::line();
    command_->setExplanation(
        tr("Copies the file with its permissions; replace HOST with the other machine's name"));
    QLabel* how = paragraph(
        tr("Both ends need the same key. Copy the file over a channel you trust, paste the key on the "
           "Keys page there, or show the QR code to its camera. Never send it by mail or chat."));
    QVBoxLayout* column =
        columnOf(line / 2, {headingLabel(tr("Give the key to the other machine")), how, command_});
    column->setContentsMargins(0, line / 2, 0, 0);
    return panelOf(column, this);
}

QWidget* KeyPage::makeLegend() {
    const int line = theme::line();
    auto* legend = new QWidget(this);
    auto* grid = new QGridLayout(legend);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(line * 3 / 4);
    grid->setVerticalSpacing(line / 3);
    grid->setColumnStretch(2, 1);
    int row = 0;
    for (const Protection each :
         {Protection::Encrypted, Protection::Proven, Protection::ThisHost, Protection::None}) {
        auto* word = new QLabel(protectionWord(each), legend);
        theme::setTone(*word, padlockTone(each));
        grid->addWidget(new PadlockPicture(each, line * 5 / 4, legend), row, 0);
        grid->addWidget(word, row, 1);
        grid->addWidget(paragraph(padlockMeaning({.protection = each})), row, 2);
        ++row;
    }
    return legend;
}

void KeyPage::connectParts() {
    connect(key_, &KeyField::changed, this, &KeyPage::follow);
    connect(use_, &QPushButton::clicked, this, [this] {
        Q_EMIT chosen(key_->file());
        news_->setText(tr("The Send and View pages now use %1").arg(shortPath(key_->file())));
    });
    connect(&clipboard_, &SecretClipboard::cleared, this,
            [this] { news_->setText(tr("The key is not in the clipboard any more")); });
}

void KeyPage::follow() {
    const QString file = key_->file();
    const bool there = QFileInfo::exists(file);
    const bool usable = there && !key_->problem();
    icon_->setProtection(usable ? Protection::Encrypted : Protection::ThisHost);
    title_->setText(usable  ? (file == defaultKeyPath() ? tr("The default key") : QFileInfo(file).fileName())
                    : there ? tr("This key cannot be used")
                            : tr("No key yet"));
    const QString written = QFileInfo(file).lastModified().toString("yyyy-MM-dd HH:mm");
    place_->setText(shortPath(file) + (usable  ? "\n" + tr("Only you can read it; written %1").arg(written)
                                       : there ? QString()
                                               : "\n" + tr("Make a new one, or bring the other machine's")));
    // A missing file is no error here.
    key_->problemLabel()->setVisible(there && !usable);
    sharing_->setVisible(usable);
    for (QPushButton* button : {copy_, qrCode_, use_}) {
        button->setEnabled(usable);
    }
    command_->setCommand(usable ? copyCommandLine(file) : QString());
}

template <typename Action>
void KeyPage::attempt(const QString& failure, Action&& action) {
    news_->clear();
    try {
        action();
        problem_->show(std::nullopt);
    } catch (const Error& error) {
        Message message = errorMessage(error);
        message.title = failure;
        problem_->show(message);
    }
}

void KeyPage::makeNew() {
    attempt(tr("No new key was made"), [this] {
        const std::string file = defaultKeyFile();
        writeNewKey(file);
        key_->setFile(QString::fromStdString(file));
        news_->setText(tr("A new key was made"));
    });
}

QString KeyPage::targetForImport() {
    QString standard = defaultKeyPath();
    if (!standard.isEmpty() && !QFileInfo::exists(standard)) {
        return standard;
    }
    return QFileDialog::getSaveFileName(this, tr("Verbcast - Keep the key in a new file"),
                                        QFileInfo(standard).absolutePath(), {}, nullptr,
                                        QFileDialog::DontConfirmOverwrite);
}

void KeyPage::keep(const QString& file, const std::string& secret) {
    writeKeyFile(file.toStdString(), secret);
    key_->setFile(file);
    news_->setText(tr("The key is kept in %1").arg(shortPath(file)));
}

void KeyPage::importFile() {
    const QString from = QFileDialog::getOpenFileName(this, tr("Verbcast - Import a key file"));
    if (from.isEmpty()) {
        return;
    }
    attempt(tr("The key was not imported"), [&] {
        const std::string secret = importedSecret(from);
        if (const QString target = targetForImport(); !target.isEmpty()) {
            keep(target, secret);
        }
    });
}

void KeyPage::paste() {
    attempt(tr("The key was not kept"), [this] {
        const QString target = targetForImport();
        if (target.isEmpty()) {
            return;
        }
        PasteKeyDialog dialog(target, this);
        if (dialog.exec() == QDialog::Accepted) {
            keep(target, dialog.secret());
        }
    });
}

void KeyPage::copyKey() {
    attempt(tr("The key was not copied"), [this] {
        clipboard_.copy(QString::fromStdString(SessionKey::secretIn(key_->file().toStdString())));
        news_->setText(
            tr("Copied. Every program of this session can read the clipboard; it is cleared after 60 s"));
    });
}

void KeyPage::showQrCode() {
    attempt(tr("The key cannot be shown"), [this] {
        QrCodeDialog(SessionKey::secretIn(key_->file().toStdString()), title_->text(), this).exec();
    });
}

}  // namespace verbcast
