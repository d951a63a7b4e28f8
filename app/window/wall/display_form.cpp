#include "app/window/wall/display_form.h"

#include <QSignalBlocker>

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
    return field;
}

DisplayForm::DisplayForm(QWidget* parent)
    : QWidget(parent),
      name_(new QLineEdit(this)),
      rotation_(new ChoiceCombo(tr("Turned"), tr("How far the picture is rotated on the screen, clockwise"),
                                ChoiceCombo::Typing::No, this)),
      fields_(this, &DisplayForm::edited) {
    name_->setMaxLength(static_cast<int>(kMaxDisplayNameBytes));
    name_->setAccessibleName(tr("Name"));
    name_->setToolTip(tr("With which the display's viewer asks for its part"));
    rotation_->setChoices(rotationChoices());
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
    bindFields();
    show(nullptr);
}

void DisplayForm::bindFields() {
    constexpr std::array kSides{&FrameRect::x, &FrameRect::y, &FrameRect::width, &FrameRect::height};
    constexpr std::array kFades{&EdgeBlend::left, &EdgeBlend::right, &EdgeBlend::top, &EdgeBlend::bottom};
    fields_.bind(name_, &WallDisplay::name);
    for (std::size_t i = 0; i < 4; ++i) {
        fields_.bind(
            rectangle_[i], [side = kSides[i]](auto& display) -> auto& { return display.rectangle.*side; });
        fields_.bind(
            blend_[i], [fade = kFades[i]](auto& display) -> auto& { return display.blend.*fade; });
        fields_.bind(
            corners_[2 * i], [i](auto& display) -> auto& { return display.corners[i].x; });
        fields_.bind(
            corners_[2 * i + 1], [i](auto& display) -> auto& { return display.corners[i].y; });
    }
    for (std::size_t i = 0; i < gain_.size(); ++i) {
        fields_.bind(
            gain_[i], [i](auto& display) -> auto& { return display.colour.gain[i]; });
    }
    fields_.bind(
        blendGamma_, [](auto& display) -> auto& { return display.blend.gamma; });
    fields_.bind(
        gamma_, [](auto& display) -> auto& { return display.colour.gamma; });
    fields_.bind(
        black_, [](auto& display) -> auto& { return display.colour.black; });
    connect(rotation_, &ChoiceCombo::valueChanged, this, &DisplayForm::edited);
}

void DisplayForm::show(const WallDisplay* display) {
    setEnabled(display != nullptr);
    const WallDisplay shown = display != nullptr ? *display : WallDisplay{};
    const QSignalBlocker quiet(rotation_);
    fields_.show(shown);
    rotation_->setValue(QString::number(shown.rotation));
}

WallDisplay DisplayForm::display() const {
    WallDisplay display;
    fields_.read(display);
    display.rotation = static_cast<std::uint16_t>(rotation_->value().toUInt());
    return display;
}

}  // namespace verbcast
