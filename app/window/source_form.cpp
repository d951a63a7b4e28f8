#include "app/window/source_form.h"

#include <QDir>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QScreen>
#include <QVBoxLayout>
#include <string_view>

#include "app/window/theme.h"
#include "app/window/x_windows.h"
#include "capture/pattern_names.h"
#include "core/base/clean_text.h"
#include "render/scenes/scene_names.h"

namespace verbcast {
namespace {

using Typing = ChoiceCombo::Typing;

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

QString firstUpper(QString word) {
    word[0] = word[0].toUpper();
    return word;
}

/// In the order of SourceKind.
const QList<Choice>& kindChoices() {
    static const QList<Choice> choices{{"Test pattern", "pattern", "A moving test picture"},
                                       {"File", "file", "Video or pictures that FFmpeg can read"},
                                       {"Screen", "screen", "This screen, a monitor or a window"},
                                       {"Camera", "camera", "A Video4Linux2 device"},
                                       {"3D scene", "scene", "Rendered here, steered by its viewers"},
                                       {"OpenGL program", "program", "Any program: what it draws is sent"}};
    return choices;
}

template <typename Names>
QList<Choice> namedChoices(const Names& names) {
    QList<Choice> choices;
    for (const auto& each : names) {
        choices.append({firstUpper(text(each.name)), text(each.name), text(each.summary)});
    }
    return choices;
}

QList<Choice> screenChoices() {
    QList<Choice> choices{{"Whole screen", ""}};
    for (const QScreen* screen : QGuiApplication::screens()) {
        const QSize size = screen->size() * screen->devicePixelRatio();
        choices.append({QString("Monitor %1, %2x%3").arg(screen->name()).arg(size.width()).arg(size.height()),
                        "monitor=" + screen->name()});
    }
    for (const ScreenWindow& window : screenWindows()) {
        const QString id = "0x" + QString::number(window.id, 16);
        choices.append(
            {QString("Window: %1 (%2)").arg(window.title.left(40), id), "window=" + id, window.title});
    }
    return choices;
}

}  // namespace

QList<Choice> cameraChoices() {
    QList<Choice> choices{{"First camera", ""}};
    const QDir devices("/sys/class/video4linux");
    for (const QString& name : devices.entryList({"video*"}, QDir::Dirs, QDir::Name)) {
        // A camera's further nodes (index above 0) carry no pictures, but data about them.
        QFile index(devices.filePath(name + "/index"));
        QFile title(devices.filePath(name + "/name"));
        if (index.open(QIODevice::ReadOnly) && index.readAll().trimmed() == "0" &&
            title.open(QIODevice::ReadOnly)) {
            const std::string device = cleanText(title.readAll().trimmed().toStdString());
            choices.append({QString::fromStdString(device) + " (" + name + ")", "/dev/" + name});
        }
    }
    return choices;
}

SourceForm::SourceForm(QWidget* parent)
    : QWidget(parent),
      kind_(new ChoiceCombo("Source", "What is sent", Typing::No, this)),
      pages_(new QStackedWidget(this)),
      pattern_(new ChoiceCombo("Pattern", "Which test picture", Typing::No, this)),
      file_(new QLineEdit(this)),
      loop_(new QCheckBox("Start a&gain at the end", this)),
      screen_(new ChoiceCombo("Part of the screen",
                              "The whole screen, a monitor or a window; or type rect=1280x720+0+0",
                              Typing::Allowed, this)),
      camera_(
          new ChoiceCombo("Camera", "Which camera; or type the path of its device", Typing::Allowed, this)),
      scene_(new ChoiceCombo("Scene", "What is rendered", Typing::No, this)),
      program_(new QLineEdit(this)) {
    kind_->setChoices(kindChoices());
    pattern_->setChoices(namedChoices(kPatternNames));
    scene_->setChoices(namedChoices(kSceneNames));
    listScreens();
    listCameras();
    program_->setPlaceholderText("glxgears");
    program_->setAccessibleName("Program");
    program_->setToolTip("The program and its arguments, as typed into a shell (quotes, but no variables)");
    loop_->setToolTip("Play the file again and again, without a gap");

    addPage("&Pattern", pattern_);
    addPage("&Path", makeFileField(), loop_);
    addPage("&Part", screen_);
    addPage("&Path", camera_);
    addPage("Sc&ene", scene_);
    addPage("&Program", program_);
    pages_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* top = new FormGrid;
    top->addHeading("Source");
    top->addField("S&ource", kind_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::line() / 3);
    column->addLayout(top);
    column->addWidget(pages_);

    connect(kind_, &ChoiceCombo::valueChanged, this,
            [this] { pages_->setCurrentIndex(kind_->currentIndex()); });
    for (const ChoiceCombo* combo : {kind_, pattern_, screen_, camera_, scene_}) {
        connect(combo, &ChoiceCombo::valueChanged, this, &SourceForm::changed);
    }
    for (const QLineEdit* line : {file_, program_}) {
        connect(line, &QLineEdit::textChanged, this, &SourceForm::changed);
    }
    connect(loop_, &QCheckBox::toggled, this, &SourceForm::changed);
    connect(screen_, &ChoiceCombo::listWanted, this, &SourceForm::listScreens);
    connect(camera_, &ChoiceCombo::listWanted, this, &SourceForm::listCameras);
}

void SourceForm::addPage(const QString& label, QWidget* field, QWidget* below) {
    auto* page = new QWidget;
    auto* grid = new FormGrid;
    page->setLayout(grid);
    grid->addField(label, field);
    if (below != nullptr) {
        grid->addField(below);
    }
    grid->setRowStretch(grid->rowCount(), 1);
    pages_->addWidget(page);
}

QWidget* SourceForm::makeFileField() {
    file_->setPlaceholderText("clip.mp4");
    file_->setAccessibleName("File");
    file_->setToolTip("A media file, or an address that FFmpeg opens");
    auto* browse = new QPushButton("&Browse...");
    browse->setToolTip("Choose a file");
    connect(browse, &QPushButton::clicked, this, &SourceForm::browse);
    auto* field = new QWidget;
    field->setFocusProxy(file_);
    field->setToolTip(file_->toolTip());
    auto* row = new QHBoxLayout(field);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme::line() / 3);
    row->addWidget(file_, 1);
    row->addWidget(browse);
    return field;
}

void SourceForm::browse() {
    const QString path =
        QFileDialog::getOpenFileName(window(), "Verbcast - Choose a file to send", file_->text());
    if (!path.isEmpty()) {
        file_->setText(path);
    }
}

void SourceForm::listScreens() {
    screen_->setChoices(screenChoices());
}

void SourceForm::listCameras() {
    camera_->setChoices(cameraChoices());
}

SourceKind SourceForm::kind() const {
    return static_cast<SourceKind>(kind_->currentIndex());
}

void SourceForm::read(SendSettings& settings) const {
    settings.source = kind();
    settings.pattern = pattern_->value().toStdString();
    settings.file = file_->text().trimmed().toStdString();
    settings.loop = loop_->isChecked();
    settings.screen = screen_->value().toStdString();
    settings.camera = camera_->value().toStdString();
    settings.scene = scene_->value().toStdString();
    settings.program = program_->text().trimmed().toStdString();
}

void SourceForm::show(const SendSettings& settings) {
    pattern_->setValue(QString::fromStdString(settings.pattern));
    file_->setText(QString::fromStdString(settings.file));
    loop_->setChecked(settings.loop);
    screen_->setValue(QString::fromStdString(settings.screen));
    camera_->setValue(QString::fromStdString(settings.camera));
    scene_->setValue(QString::fromStdString(settings.scene));
    program_->setText(QString::fromStdString(settings.program));
    kind_->setCurrentIndex(static_cast<int>(settings.source));
}

}  // namespace verbcast
