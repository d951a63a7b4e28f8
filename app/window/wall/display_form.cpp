#include "app/window/wall/display_form.h"

#include "app/window/parts/form.h"
#include "app/window/style/theme.h"
#include "core/video/video_format.h"

namespace verbcast {
namespace {

/// Keeps all digits of a file's number and shows no superfluous ones.
class NumberField final : public QDoubleSpinBox {
  public:
    using QDoubleSpinBox::QDoubleSpinBox;
    QString textFromValue(double value) const override { return locale().toString(value, 'g', 6); }
};

}  // namespace

QSpinBox* DisplayForm::whole(const QString& name, const QString& explanation, int least, int most) {
    auto* field = new QSpinBox(this);
    field->setRange(least, most);
    field->setButtonSymbols(QAbstractSpinBox::NoButtons);
    nameNumber(*field, name, explanation);
    connect(field, &QSpinBox::valueChanged, this, [this] {
        if (!showing_) {
            Q_EMIT edited();
        }
    });
    return field;
}

QDoubleSpinBox* DisplayForm::number(const QString& name, const QString& explanation, double least,
                                    double most, double step) {
    auto* field = new NumberField(this);
    field->setRange(least, most);
    field->setDecimals(6);
    field->setSingleStep(step);
    field->setButtonSymbols(QAbstractSpinBox::NoButtons);
    nameNumber(*field, name, explanation);
    connect(field, &QDoubleSpinBox::valueChanged, this, [this] {
        if (!showing_) {
            Q_EMIT edited();
        }
    });
    return field;
}

DisplayForm::DisplayForm(QWidget* parent)
    : QWidget(parent),
      name_(new QLineEdit(this)),
      rotation_(new ChoiceCombo(tr("Turned"), tr("How far the picture is rotated on the screen, clockwise"),
                                ChoiceCombo::Typing::No, this)) {
    name_->setMaxLength(static_cast<int>(kMaxDisplayNameBytes));
    name_->setAccessibleName(tr("Name"));
    name_->setToolTip(tr("With which the display's viewer asks for its part"));
    rotation_->setChoices({{tr("not"), "0"}, {"90\u00b0", "90"}, {"180\u00b0", "180"}, {"270\u00b0", "270"}});
    const int most = static_cast<int>(kMaxDimension), least = static_cast<int>(kMinDimension);
    rectangle_ = {whole(tr("Left edge"), tr("Pixels from the left of the picture"), 0, most),
                  whole(tr("Top edge"), tr("Pixels from the top of the picture"), 0, most),
                  whole(tr("Width"), tr("Pixels of the picture that it shows across"), least, most),
                  whole(tr("Height"), tr("Pixels of the picture that it shows down"), least, most)};
    const QString fades = tr("Pixels over which it fades where another display shows the same");
    blend_ = {whole(tr("Fades at the left"), fades, 0, most), whole(tr("Fades at the right"), fades, 0, most),
              whole(tr("Fades at the top"), fades, 0, most),
              whole(tr("Fades at the bottom"), fades, 0, most)};
    blendGamma_ =
        number(tr("Gamma of fading"), tr("Of the display: light is code to this power"), 0.2, 5, 0.05);
    const QString where = tr("In parts of the screen, from its top left corner; 0 and 1: not warped");
    const std::array<QString, 8> cornerNames{
        tr("Top left corner, across"),    tr("Top left corner, down"),       tr("Top right corner, across"),
        tr("Top right corner, down"),     tr("Bottom right corner, across"), tr("Bottom right corner, down"),
        tr("Bottom left corner, across"), tr("Bottom left corner, down")};
    for (std::size_t i = 0; i < corners_.size(); ++i) {
        corners_[i] = number(cornerNames[i], where, -1, 2, 0.002);
    }
    gain_ = {number(tr("Gain of red"), tr("The display's red relative to the picture's"), 0, 4, 0.01),
             number(tr("Gain of green"), tr("The display's green relative to the picture's"), 0, 4, 0.01),
             number(tr("Gain of blue"), tr("The display's blue relative to the picture's"), 0, 4, 0.01)};
    gamma_ = number(tr("Gamma"), tr("Above 1 the middle tones are lighter"), 0.2, 5, 0.05);
    black_ =
        number(tr("Black"), tr("The code of black: raises it where others shine through"), 0, 0.5, 0.005);

    auto* grid = new FormGrid;
    grid->addHeading(tr("Display"));
    grid->addField(tr("&Name"), name_);
    grid->addField(tr("A&t"), sideBySide({rectangle_[0], rectangle_[1]}));
    grid->addField(tr("Si&ze"), sideBySide({rectangle_[2], rectangle_[3]}));
    grid->addField(tr("T&urned"), rotation_);
    grid->addHeading(tr("Blending"));
    grid->addField(tr("&Left, right"), sideBySide({blend_[0], blend_[1]}));
    grid->addField(tr("To&p, bottom"), sideBySide({blend_[2], blend_[3]}));
    grid->addField(tr("&Gamma"), blendGamma_);
    grid->addHeading(tr("Corners"));
    grid->addField(tr("Top le&ft"), sideBySide({corners_[0], corners_[1]}));
    grid->addField(tr("Top right"), sideBySide({corners_[2], corners_[3]}));
    grid->addField(tr("Bottom right"), sideBySide({corners_[4], corners_[5]}));
    grid->addField(tr("Bottom left"), sideBySide({corners_[6], corners_[7]}));
    grid->addHeading(tr("Colour"));
    grid->addField(tr("Gain"), sideBySide({gain_[0], gain_[1], gain_[2]}));
    grid->addField(tr("Gamma, blac&k"), sideBySide({gamma_, black_}));
    setLayout(grid);
    grid->setContentsMargins(0, 0, 0, 0);
    connect(name_, &QLineEdit::textEdited, this, &DisplayForm::edited);
    connect(rotation_, &ChoiceCombo::valueChanged, this, [this] {
        if (!showing_) {
            Q_EMIT edited();
        }
    });
    show(nullptr);
}

void DisplayForm::show(const WallDisplay* display) {
    setEnabled(display != nullptr);
    const WallDisplay shown = display != nullptr ? *display : WallDisplay{};
    showing_ = true;
    if (name_->text().toStdString() != shown.name) {
        name_->setText(QString::fromStdString(shown.name));
    }
    const FrameRect& rect = shown.rectangle;
    const std::array<int, 4> place{rect.x, rect.y, rect.width, rect.height};
    const std::array<std::uint32_t, 4> fades{shown.blend.left, shown.blend.right, shown.blend.top,
                                             shown.blend.bottom};
    for (std::size_t i = 0; i < 4; ++i) {
        rectangle_[i]->setValue(place[i]);
        blend_[i]->setValue(static_cast<int>(fades[i]));
        corners_[2 * i]->setValue(shown.corners[i].x);
        corners_[2 * i + 1]->setValue(shown.corners[i].y);
    }
    rotation_->setValue(QString::number(shown.rotation));
    blendGamma_->setValue(shown.blend.gamma);
    for (std::size_t i = 0; i < gain_.size(); ++i) {
        gain_[i]->setValue(shown.colour.gain[i]);
    }
    gamma_->setValue(shown.colour.gamma);
    black_->setValue(shown.colour.black);
    showing_ = false;
}

WallDisplay DisplayForm::display() const {
    WallDisplay display;
    display.name = name_->text().toStdString();
    const auto side = [this](std::size_t i) { return static_cast<std::uint16_t>(rectangle_[i]->value()); };
    display.rectangle = {side(0), side(1), side(2), side(3)};
    display.rotation = static_cast<std::uint16_t>(rotation_->value().toUInt());
    const auto fade = [this](std::size_t i) { return static_cast<std::uint32_t>(blend_[i]->value()); };
    display.blend = {fade(0), fade(1), fade(2), fade(3), blendGamma_->value()};
    for (std::size_t i = 0; i < display.corners.size(); ++i) {
        display.corners[i] = {corners_[2 * i]->value(), corners_[2 * i + 1]->value()};
    }
    for (std::size_t i = 0; i < gain_.size(); ++i) {
        display.colour.gain[i] = gain_[i]->value();
    }
    display.colour.gamma = gamma_->value();
    display.colour.black = black_->value();
    return display;
}

}  // namespace verbcast
