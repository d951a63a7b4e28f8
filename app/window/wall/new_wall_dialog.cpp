#include "app/window/wall/new_wall_dialog.h"

#include <QDialogButtonBox>
#include <initializer_list>

#include "app/cli/options/values.h"
#include "app/window/parts/form.h"

namespace verbcast {
namespace {

constexpr int kMaxPixels = 4096;

}  // namespace

QSpinBox* NewWallDialog::count(const QString& name, const QString& explanation, int least, int most,
                               int value) {
    auto* field = new QSpinBox(this);
    field->setRange(least, most);
    field->setValue(value);
    nameNumber(*field, name, explanation);
    return field;
}

NewWallDialog::NewWallDialog(QWidget* parent)
    : QDialog(parent),
      size_(new ChoiceCombo(tr("Size"), tr("Pixels of the picture on each display, before it is rotated"),
                            ChoiceCombo::Typing::Allowed, this)),
      rotation_(new ChoiceCombo(tr("Turned"), tr("How far the picture is rotated on the screens, clockwise"),
                                ChoiceCombo::Typing::No, this)) {
    setWindowTitle(tr("Verbcast - A new wall"));
    columns_ = count(tr("Columns"), tr("Displays side by side"), 1, static_cast<int>(kMaxDisplays), 2);
    rows_ = count(tr("Rows"), tr("Displays one above the other"), 1, static_cast<int>(kMaxDisplays), 2);
    bezel_ = count(tr("Bezels"),
                   tr("Pixels of the picture that the bezels between two displays hide, both together"), 0,
                   kMaxPixels, 0);
    overlap_ = count(tr("Overlap"), tr("Pixels by which neighbouring projectors overlap"), 0, kMaxPixels, 0);
    const QString parts =
        tr("Parts of the picture, each drawn by its own sender; 0: one sender draws all of it");
    sourceColumns_ = count(tr("Columns of sources"), parts, 0, static_cast<int>(kMaxSources), 0);
    sourceRows_ = count(tr("Rows of sources"), parts, 0, static_cast<int>(kMaxSources), 0);
    size_->setChoices(plainChoices({"1920x1080", "2560x1440", "3840x2160", "1920x1200"}));
    size_->setValue("1920x1080");
    rotation_->setChoices(rotationChoices());
    rotation_->setValue("0");
    auto* grid = new FormGrid;
    grid->addField(tr("&Columns, rows"), sideBySide({columns_, rows_}));
    grid->addField(tr("Si&ze of each"), size_);
    grid->addField(tr("&Bezels"), bezel_);
    grid->addField(tr("&Overlap"), overlap_);
    grid->addField(tr("&Turned"), rotation_);
    grid->addField(tr("&Sources"), sideBySide({sourceColumns_, sourceRows_}));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    buttons->addButton(tr("Make it"), QDialogButtonBox::AcceptRole)->setDefault(true);
    layOutDialog(*this, {grid, buttons});
    QWidget* before = columns_;
    for (QWidget* next : std::initializer_list<QWidget*>{rows_, size_, bezel_, overlap_, rotation_,
                                                         sourceColumns_, sourceRows_}) {
        setTabOrder(before, next);
        before = next;
    }
    // Displays either have bezels between them or overlap.
    connect(bezel_, &QSpinBox::valueChanged, overlap_,
            [this](int pixels) { overlap_->setEnabled(pixels == 0); });
    connect(overlap_, &QSpinBox::valueChanged, bezel_,
            [this](int pixels) { bezel_->setEnabled(pixels == 0); });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

NewWallOptions NewWallDialog::options() const {
    NewWallOptions options;
    const auto value = [](const QSpinBox* field) { return static_cast<std::uint32_t>(field->value()); };
    options.columns = value(columns_);
    options.rows = value(rows_);
    const PictureSize size = sizeValue().parse("--size", size_->value().toStdString());
    options.screenWidth = size.width;
    options.screenHeight = size.height;
    options.rotation = static_cast<std::uint16_t>(rotation_->value().toUInt());
    options.gapX = options.gapY = value(bezel_);
    options.overlapX = options.overlapY = value(overlap_);
    options.sourceColumns = value(sourceColumns_);
    options.sourceRows = value(sourceRows_);
    if (options.sourceColumns == 0 || options.sourceRows == 0) {
        options.sourceColumns = options.sourceRows = 0;
    }
    return options;
}

}  // namespace verbcast
