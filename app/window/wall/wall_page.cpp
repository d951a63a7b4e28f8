#include "app/window/wall/wall_page.h"

#include <fmt/format.h>

#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QMessageBox>
#include <QSettings>
#include <algorithm>

#include "app/cli/peer_options.h"
#include "app/cli/shell_words.h"
#include "app/cli/trust/trust_choice.h"
#include "app/wall/new_wall.h"
#include "app/wall/tile_region.h"
#include "app/wall/wall_file.h"
#include "app/wall/wall_findings.h"
#include "app/window/parts/core_words.h"
#include "app/window/parts/form.h"
#include "app/window/parts/hint_list.h"
#include "app/window/parts/window_words.h"
#include "app/window/settings/recent_addresses.h"
#include "app/window/style/theme.h"
#include "app/window/wall/new_wall_dialog.h"
#include "core/base/error.h"
#include "core/base/os/whole_file.h"

namespace verbcast {
namespace {

constexpr const char* kFileKey = "wall/file";

/// In the order of HowShown.
constexpr const char* kHowShown[] = {
    QT_TRANSLATE_NOOP("verbcast::WallPage", "shown as it is"),
    QT_TRANSLATE_NOOP("verbcast::WallPage", "shown in proportion"),
    QT_TRANSLATE_NOOP("verbcast::WallPage", "shown with black above and below"),
    QT_TRANSLATE_NOOP("verbcast::WallPage", "shown with black at its sides"),
    QT_TRANSLATE_NOOP("verbcast::WallPage", "cut off above and below"),
    QT_TRANSLATE_NOOP("verbcast::WallPage", "cut off at its sides"),
    QT_TRANSLATE_NOOP("verbcast::WallPage", "stretched out of proportion")};

QString fileFilter() {
    return WallPage::tr("Walls (*.json);;All files (*)");
}

}  // namespace

WallPage::WallPage(QWidget* parent)
    : QWidget(parent),
      new_(buttonFor(this, &WallPage::makeNew, tr("Ne&w..."), tr("A wall of equal displays"))),
      open_(buttonFor(this, &WallPage::openFile, tr("&Open..."), tr("The file of a wall"))),
      save_(buttonFor(this, &WallPage::save, tr("&Save"), tr("Into its file"))),
      saveAs_(buttonFor(this, &WallPage::saveAs, tr("Save &as..."), tr("Into another file"))),
      add_(buttonFor(this, &WallPage::addDisplay, tr("A&dd a display"),
                     tr("One more, like the selected one"))),
      remove_(buttonFor(this, &WallPage::removeDisplay, tr("Remo&ve it"),
                        tr("Remove the selected display from the wall (Del)"))),
      title_(new QLabel(this)),
      gaps_(new QCheckBox(tr("Parts are on no displa&y"), this)),
      fit_(new ChoiceCombo(tr("Other pictures"),
                           tr("How pictures of another aspect ratio than the wall's are shown"),
                           ChoiceCombo::Typing::No, this)),
      form_(new DisplayForm(this)),
      address_(new ChoiceCombo(
          tr("Picture from"), tr("A sender whose picture is shown behind the displays, a few times a second"),
          ChoiceCombo::Typing::Allowed, this)),
      watch_(new QPushButton(tr("Show"), this)),
      news_(mutedLabel("", this)),
      canvas_(new WallCanvas(this)),
      findings_(new HintList(tr("Nothing is wrong with this wall"), this)),
      problem_(new ProblemPanel(this)),
      command_(new CommandBar(this)) {
    layOutPage(*this, makeForm(), makeView());
    connectParts();
    use(newWall({.columns = 2, .rows = 2}), "");
    const QString last = QSettings().value(kFileKey).toString();
    if (!last.isEmpty() && QFileInfo::exists(last)) {
        attempt(tr("The last wall cannot be opened"), [&] { use(readWall(last.toStdString()), last); });
    }
}

WallPage::~WallPage() = default;

QWidget* WallPage::makeForm() {
    gaps_->setToolTip(tr("Behind bezels, or beside a wall that is not a rectangle"));
    fit_->setChoices({{tr("whole, with black beside them"), "fit"},
                      {tr("cut off at two sides"), "fill"},
                      {tr("stretched"), "stretch"}});
    auto* fitLabel = new QLabel(tr("Othe&r pictures"), this);
    fitLabel->setBuddy(fit_);
    const int line = theme::line();
    auto* files = new QGridLayout;
    files->setSpacing(line / 3);
    files->addWidget(new_, 0, 0);
    files->addWidget(open_, 0, 1);
    files->addWidget(save_, 1, 0);
    files->addWidget(saveAs_, 1, 1);
    return formSide(this, {files, gaps_, rowOf(line / 2, {fitLabel, Part(fit_, 1)}),
                           Part(scrolled(form_, this), 1), rowOf(line / 3, {add_, remove_})});
}

QWidget* WallPage::makeView() {
    title_->setTextFormat(Qt::PlainText);
    title_->setFont(theme::font(1.0, QFont::DemiBold));
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    news_->setTextFormat(Qt::PlainText);
    news_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    address_->lineEdit()->setPlaceholderText(tr("no picture"));
    watch_->setToolTip(tr("Show what that sender sends now"));
    findings_->setAccessibleName(tr("What is wrong"));
    findings_->setToolTip(tr("What must be fixed before displays can show the wall"));
    findings_->setWordWrap(true);
    findings_->setFixedHeight(theme::line() * 5);
    auto* label = new QLabel(tr("Pictur&e from"), this);
    label->setBuddy(address_);
    const int gap = theme::line() / 2;
    return panelOf(columnOf(gap, {title_, Part(canvas_, 1),
                                  rowOf(gap, {label, Part(address_, 2), watch_, Part(news_, 2)}), findings_,
                                  problem_, command_}),
                   this);
}

void WallPage::connectParts() {
    connect(canvas_, &WallCanvas::removeWanted, this, &WallPage::removeDisplay);
    connect(canvas_, &WallCanvas::displayChosen, this, &WallPage::showDisplay);
    connect(canvas_, &WallCanvas::rectangleWanted, this, [this](const FrameRect& rectangle) {
        wall_.displays[*canvas_->chosen()].rectangle = rectangle;
        modified_ = true;
        showDisplay();
    });
    connect(form_, &DisplayForm::edited, this, [this] {
        if (canvas_->chosen()) {
            wall_.displays[*canvas_->chosen()] = form_->display();
            followChange();
        }
    });
    connect(gaps_, &QCheckBox::clicked, this, [this](bool gaps) {
        wall_.gaps = gaps;
        followChange();
    });
    connect(fit_, &ChoiceCombo::valueChanged, this, [this] {
        const CanvasFit chosen = parseFit(fit_->value().toStdString()).value_or(wall_.fit);
        if (chosen != wall_.fit) {
            wall_.fit = chosen;
            followChange();
        }
    });
    connect(watch_, &QPushButton::clicked, this, [this] { watching_ ? stopWatching() : watch(); });
    connect(address_->lineEdit(), &QLineEdit::returnPressed, this, &WallPage::watch);
    connect(&picture_, &LivePicture::failed, this, [this](const QString& reason) {
        if (watching_) {
            stopWatching();
            problem_->show(Message{.title = tr("The picture cannot be shown"),
                                   .text = sentence(inWindowLanguage(reason.toStdString())),
                                   .alarming = true});
        }
    });
    connect(address_, &ChoiceCombo::listWanted, this, [this] {
        QStringList addresses;
        for (const RecentStream& stream : recentStreams()) {
            if (!stream.listen && !stream.isOfSeveral()) {
                addresses << stream.address;
            }
        }
        address_->setChoices(plainChoices(addresses));
    });
    connect(&picture_, &LivePicture::pictureChanged, this,
            [this](const QImage& picture, const QSize& size, bool upright) {
                canvas_->setPicture(picture);
                if (size != pictureSize_ || upright != pictureUpright_) {
                    pictureUpright_ = upright;
                    if (pictureSize_.isEmpty()) {
                        rememberStream({watched_, false});
                    }
                    pictureSize_ = size;
                    tellOfPicture();
                }
            });
    connect(&picture_, &LivePicture::stateChanged, this, [this](const QString& text) {
        pictureState_ = text;
        tellOfPicture();
    });
}

bool WallPage::attempt(const QString& failure, const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        Message message = inWindowWords(errorMessage(error));
        message.title = failure;
        problem_->show(message);
        return false;
    }
    problem_->show(std::nullopt);
    return true;
}

void WallPage::use(const Wall& wall, const QString& file) {
    wall_ = wall;
    file_ = file;
    modified_ = false;
    canvas_->choose(std::nullopt);
    canvas_->choose(0);
    if (!file.isEmpty()) {
        QSettings().setValue(kFileKey, file);
    }
}

bool WallPage::mayLeave() {
    if (!modified_) {
        return true;
    }
    QMessageBox box(QMessageBox::Question, tr("Verbcast - Wall"), tr("Save the wall first?"),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setInformativeText(tr("It has changed since it was opened or saved."));
    switch (box.exec()) {
        case QMessageBox::Save:
            save();
            return !modified_;
        case QMessageBox::Discard:
            return true;
        default:
            return false;
    }
}

void WallPage::makeNew() {
    if (!mayLeave()) {
        return;
    }
    NewWallDialog dialog(this);
    if (dialog.exec() == QDialog::Accepted) {
        attempt(tr("There is no such wall"), [&] {
            use(newWall(dialog.options()), "");
            followChange();
        });
    }
}

void WallPage::openFile() {
    if (!mayLeave()) {
        return;
    }
    const QString path = QFileDialog::getOpenFileName(this, tr("Verbcast - Open a wall"),
                                                      QFileInfo(file_).path(), fileFilter());
    if (!path.isEmpty()) {
        attempt(tr("The wall cannot be opened"), [&] { use(readWall(path.toStdString()), path); });
    }
}

void WallPage::saveTo(const QString& path) {
    attempt(tr("The wall cannot be saved"), [&] {
        writeWhole(path.toStdString(), wallText(wall_));
        file_ = path;
        modified_ = false;
        QSettings().setValue(kFileKey, path);
        follow();
    });
}

void WallPage::save() {
    file_.isEmpty() ? saveAs() : saveTo(file_);
}

void WallPage::saveAs() {
    QFileDialog dialog(this, tr("Verbcast - Save the wall"), QFileInfo(file_).path(), fileFilter());
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix("json");
    if (dialog.exec() == QDialog::Accepted && !dialog.selectedFiles().isEmpty()) {
        saveTo(dialog.selectedFiles().first());
    }
}

void WallPage::showDisplay() {
    const auto chosen = canvas_->chosen();
    form_->show(chosen ? &wall_.displays[*chosen] : nullptr);
    remove_->setEnabled(chosen && wall_.displays.size() > 1);
    if (chosen) {
        const QString name = QString::fromStdString(wall_.displays[*chosen].name);
        canvas_->setAccessibleDescription(tr("Chosen: %1").arg(name));
    }
    follow();
}

void WallPage::followChange() {
    modified_ = true;
    follow();
}

void WallPage::follow() {
    const auto chosen = canvas_->chosen();
    canvas_->setWall(&wall_);
    gaps_->setChecked(wall_.gaps);
    fit_->setValue(QString::fromUtf8(nameOf(wall_.fit).data()));
    fit_->setEnabled(wall_.sources.empty());
    tellOfPicture();
    add_->setEnabled(wall_.displays.size() < kMaxDisplays);
    const QString displays =
        wall_.displays.size() == 1 ? tr("one display") : tr("%1 displays").arg(wall_.displays.size());
    title_->setText((file_.isEmpty() ? tr("A new wall") : QFileInfo(file_).fileName()) +
                    (modified_ ? " *" : "") + "  \u2013  " +
                    tr("picture of %1x%2").arg(wall_.width).arg(wall_.height) + ", " + displays);
    // Through the text, so that the file's checks apply too, such as an empty name.
    findings_->clear();
    for (const std::string& finding : parseWall(wallText(wall_)).findings) {
        findings_->addItem(QString::fromStdString(finding));
    }
    const bool shown = chosen && !file_.isEmpty();
    command_->setCommand(shown ? QString::fromStdString(shellQuotedFromHome(std::vector<std::string>{
                                     "verbcast", "view", "--kiosk", "--wall", file_.toStdString(), "--tile",
                                     wall_.displays[*chosen].name}))
                               : QString());
}

/// Places it beside the chosen display if there is room, else in the middle.
void WallPage::addDisplay() {
    WallDisplay display = wall_.displays[canvas_->chosen().value_or(0)];
    for (int number = 1; number == 1 || wall_.find(display.name) != nullptr; ++number) {
        display.name = fmt::format("display-{}", number);
    }
    FrameRect& rect = display.rectangle;
    const std::uint32_t right = std::uint32_t{rect.x} + 2U * rect.width;
    rect.x = static_cast<std::uint16_t>(right <= wall_.width ? rect.x + rect.width
                                                             : (wall_.width - rect.width) / 2);
    display.blend = {};
    wall_.displays.push_back(display);
    modified_ = true;
    canvas_->choose(wall_.displays.size() - 1);
}

void WallPage::removeDisplay() {
    const auto chosen = canvas_->chosen();
    if (!chosen || wall_.displays.size() < 2) {
        return;
    }
    wall_.displays.erase(wall_.displays.begin() + static_cast<std::ptrdiff_t>(*chosen));
    modified_ = true;
    canvas_->choose(std::nullopt);
    canvas_->choose(std::min(*chosen, wall_.displays.size() - 1));
}

/// The sender whose address is in the field, whatever was watched before.
void WallPage::watch() {
    stopWatching();
    watching_ = attempt(tr("There is no such sender"), [&] {
        ReceiverOptions options;
        static_cast<SessionAddress&>(options) = parsePeer(address_->value().toStdString());
        options.trust = trustFor({.keyFile = keyFile_.toStdString()}, false, options.url);
        options.slots = 2;
        watched_ = address_->value();
        picture_.watch(options);
    });
    watch_->setText(watching_ ? tr("Stop") : tr("Show"));
}

void WallPage::stopWatching() {
    picture_.stop();
    watching_ = false;
    canvas_->setPicture({});
    pictureSize_ = {};
    pictureState_.clear();
    watch_->setText(tr("Show"));
    tellOfPicture();
}

void WallPage::tellOfPicture() {
    QString text = inWindowLanguage(pictureState_.toStdString());
    if (!pictureSize_.isEmpty() && wall_.sources.empty()) {
        const HowShown how = howShown(wall_, static_cast<std::uint32_t>(pictureSize_.width()),
                                      static_cast<std::uint32_t>(pictureSize_.height()));
        const QString size = tr("%1x%2").arg(pictureSize_.width()).arg(pictureSize_.height());
        text += (text.isEmpty() ? "" : " \u2013 ") + size + ": " +
                (pictureUpright_ ? tr(kHowShown[static_cast<std::size_t>(how)])
                                 : tr("not shown: walls do not rotate or stretch pictures"));
    }
    news_->setText(text);
    news_->setToolTip(text);
}

}  // namespace verbcast
