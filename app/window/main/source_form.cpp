#include "app/window/main/source_form.h"

#include <QDir>
#include <QFileDialog>
#include <QGuiApplication>
#include <QScreen>

#include "app/window/desktop/x_windows.h"
#include "app/window/parts/core_words.h"
#include "app/window/settings/command_composer.h"
#include "app/window/style/theme.h"
#include "capture/pattern/pattern_names.h"
#include "core/base/text/clean_text.h"
#include "render/scenes/scene_names.h"

namespace verbcast {
namespace {

using Typing = ChoiceCombo::Typing;

constexpr int kMaxRows = 8;  // of a page; the space below takes the rest of the height

QString firstUpper(QString word) {
    word[0] = word[0].toUpper();
    return word;
}

/// In the order of SourceKind.
QList<Choice> kindChoices() {
    return {
        {SourceForm::tr("Test pattern"), "pattern", SourceForm::tr("A moving test picture")},
        {SourceForm::tr("File"), "file", SourceForm::tr("Video or pictures that FFmpeg can read")},
        {SourceForm::tr("Screen"), "screen", SourceForm::tr("This screen, a monitor or a window")},
        {SourceForm::tr("Camera"), "camera", SourceForm::tr("A Video4Linux2 device")},
        {SourceForm::tr("3D scene"), "scene", SourceForm::tr("Rendered here, controlled by its viewers")},
        {SourceForm::tr("OpenGL program"), "program", SourceForm::tr("Any program: what it draws is sent")}};
}

template <typename Names>
QList<Choice> namedChoices(const Names& names) {
    QList<Choice> choices;
    for (const auto& each : names) {
        const QString name = QString::fromUtf8(each.name);
        choices.append({firstUpper(name), name, inWindowLanguage(each.summary)});
    }
    return choices;
}

/// The names that --decoder takes.
QList<Choice> decoderChoices() {
    return {{SourceForm::tr("Automatic"), "", SourceForm::tr("A graphics card where one can, else software")},
            {SourceForm::tr("Software"), "software", SourceForm::tr("The processors decode")},
            {"VA-API", "vaapi", SourceForm::tr("Graphics cards of Intel and AMD")},
            {"CUDA", "cuda", SourceForm::tr("Graphics cards of NVIDIA")},
            {"Vulkan", "vulkan", SourceForm::tr("Graphics cards whose driver decodes by Vulkan")}};
}

QList<Choice> screenChoices() {
    QList<Choice> choices{{SourceForm::tr("Whole screen"), ""}};
    for (const QScreen* screen : QGuiApplication::screens()) {
        const QSize size = screen->size() * screen->devicePixelRatio();
        choices.append(
            {SourceForm::tr("Monitor %1, %2x%3").arg(screen->name()).arg(size.width()).arg(size.height()),
             "monitor=" + screen->name()});
    }
    for (const ScreenWindow& window : screenWindows()) {
        const QString id = "0x" + QString::number(window.id, 16);
        choices.append(
            {SourceForm::tr("Window: %1 (%2)").arg(window.title.left(40), id), "window=" + id, window.title});
    }
    return choices;
}

}  // namespace

QList<Choice> cameraChoices() {
    QList<Choice> choices{{SourceForm::tr("First camera"), ""}};
    const QDir devices("/sys/class/video4linux");
    for (const QString& name : devices.entryList({"video*"}, QDir::Dirs, QDir::Name)) {
        // A camera's further nodes (index above 0) carry metadata, not pictures.
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
      kind_(new ChoiceCombo(tr("Source"), tr("What is sent"), Typing::No, this)),
      pages_(new QStackedWidget(this)),
      pattern_(new ChoiceCombo(tr("Pattern"), tr("Which test picture"), Typing::No, this)),
      file_(new QLineEdit(this)),
      loop_(new QCheckBox(tr("Start a&gain at the end"), this)),
      decoder_(new ChoiceCombo(tr("Decoder"), tr("Where the file's pictures are decoded"), Typing::No, this)),
      screen_(new ChoiceCombo(tr("Part of the screen"),
                              tr("The whole screen, a monitor or a window; or type rect=1280x720+0+0"),
                              Typing::Allowed, this)),
      camera_(new ChoiceCombo(tr("Camera"), tr("Which camera; or type the path of its device"),
                              Typing::Allowed, this)),
      scene_(new ChoiceCombo(tr("Scene"), tr("What is rendered"), Typing::No, this)),
      program_(new QLineEdit(this)),
      fields_(this, &SourceForm::changed) {
    kind_->setChoices(kindChoices());
    pattern_->setChoices(namedChoices(kPatternNames));
    scene_->setChoices(namedChoices(kSceneNames));
    decoder_->setChoices(decoderChoices());
    const auto listScreens = [this] { screen_->setChoices(screenChoices()); };
    const auto listCameras = [this] { camera_->setChoices(cameraChoices()); };
    listScreens();
    listCameras();
    program_->setPlaceholderText("glxgears");
    program_->setAccessibleName(tr("Program"));
    program_->setToolTip(
        tr("The program and its arguments, as typed into a shell (quotes, but no variables)"));
    loop_->setToolTip(tr("Play the file again and again, without a gap"));

    addPage(tr("&Pattern"), pattern_);
    addPage(tr("&Path"), makeFileField(), loop_).addField(tr("D&ecoder"), decoder_);
    addPage(tr("&Part"), screen_);
    addPage(tr("&Path"), camera_);
    addPage(tr("Sc&ene"), scene_);
    addPage(tr("&Program"), program_);
    pages_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* top = new FormGrid;
    top->addHeading(tr("Source"));
    top->addField(tr("S&ource"), kind_);
    setLayout(columnOf(theme::line() / 3, {top, pages_}));

    connect(kind_, &ChoiceCombo::valueChanged, this,
            [this] { pages_->setCurrentIndex(kind_->currentIndex()); });
    connect(kind_, &ChoiceCombo::valueChanged, this, &SourceForm::changed);
    fields_.bind(pattern_, &SendSettings::pattern);
    fields_.bind(file_, &SendSettings::file);
    fields_.bind(loop_, &SendSettings::loop);
    fields_.bind(decoder_, &SendSettings::decoder);
    fields_.bind(screen_, &SendSettings::screen);
    fields_.bind(camera_, &SendSettings::camera);
    fields_.bind(scene_, &SendSettings::scene);
    fields_.bind(program_, &SendSettings::program);
    connect(screen_, &ChoiceCombo::listWanted, this, listScreens);
    connect(camera_, &ChoiceCombo::listWanted, this, listCameras);
}

FormGrid& SourceForm::addPage(const QString& label, QWidget* field, QWidget* below) {
    auto* grid = new FormGrid;
    grid->addField(label, field);
    if (below != nullptr) {
        grid->addField(below);
    }
    grid->setRowStretch(kMaxRows, 1);
    pages_->addWidget(panelOf(grid, nullptr));
    return *grid;
}

QWidget* SourceForm::makeFileField() {
    file_->setPlaceholderText("clip.mp4");
    file_->setAccessibleName(tr("File"));
    file_->setToolTip(tr("A media file, or an address that FFmpeg opens"));
    QPushButton* browse = buttonFor(this, &SourceForm::browse, tr("&Browse..."), tr("Choose a file"));
    QWidget* field = panelOf(rowOf(theme::line() / 3, {Part(file_, 1), browse}), nullptr);
    field->setFocusProxy(file_);
    field->setToolTip(file_->toolTip());
    return field;
}

void SourceForm::browse() {
    const QString path =
        QFileDialog::getOpenFileName(window(), tr("Verbcast - Choose a file to send"), file_->text());
    if (!path.isEmpty()) {
        file_->setText(path);
    }
}

SourceKind SourceForm::kind() const {
    return static_cast<SourceKind>(kind_->currentIndex());
}

void SourceForm::read(SendSettings& settings) const {
    settings.source = kind();
    fields_.read(settings);
    settings.file = file_->text().trimmed().toStdString();
    settings.program = program_->text().trimmed().toStdString();
}

QString SourceForm::awaitsConsent() const {
    SendSettings settings;
    read(settings);
    const QString what = QString::fromStdString(needsConsent(settings));
    return shown_.contains(what) ? what : QString();
}

void SourceForm::show(const SendSettings& settings) {
    fields_.show(settings);
    shown_ = {file_->text().trimmed(), program_->text().trimmed()};
    kind_->setCurrentIndex(static_cast<int>(settings.source));
}

}  // namespace verbcast
