#include "app/window/style/widget_style.h"

#include <QPainter>
#include <QPolygonF>
#include <QProxyStyle>
#include <QPushButton>
#include <QSlider>
#include <QStyleOption>

#include "app/window/style/theme.h"

namespace verbcast::theme {
namespace {

constexpr double kRingWidth = 2;
constexpr double kCorner = 2;

/// Fusion derives the outlines of check boxes and fields from the window's colour, and its focus ring from
/// the selection's.
class WidgetStyle : public QProxyStyle {
  public:
    WidgetStyle() : QProxyStyle("Fusion") {}

    /// In proportion to the text, like everything else.
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
        return metric == PM_IndicatorWidth || metric == PM_IndicatorHeight
                   ? line() * 7 / 8
                   : QProxyStyle::pixelMetric(metric, option, widget);
    }

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override {
        if (element == PE_IndicatorCheckBox) {
            drawCheckBox(*option, *painter);
        } else if (element == PE_FrameFocusRect) {
            const bool ringed = qobject_cast<const QPushButton*>(widget) != nullptr ||
                                qobject_cast<const QSlider*>(widget) != nullptr;  // around the whole widget
            if (!ringed) {
                drawRing(option->rect, *painter);
            }
        } else {
            QProxyStyle::drawPrimitive(element, option, painter, widget);
            if (element == PE_FrameLineEdit) {
                drawEdge(*option, *painter);
            }
        }
    }

    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
        QProxyStyle::drawControl(element, option, painter, widget);
        if (element == CE_PushButtonBevel && (option->state & State_HasFocus) != 0) {
            drawRing(option->rect, *painter);
        }
    }

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
        if (control == CC_ComboBox || control == CC_SpinBox) {
            drawEdge(*option, *painter);
        } else if (control == CC_Slider && (option->state & State_HasFocus) != 0) {
            drawRing(option->rect, *painter);
        }
    }

  private:
    /// Draws a field's edge: the focus ring if it has the keyboard focus.
    static void drawEdge(const QStyleOption& option, QPainter& painter) {
        if ((option.state & State_HasFocus) != 0) {
            drawRing(option.rect, painter);
        } else {
            drawFrame(option.rect, painter, colours().edge, 1);
        }
    }

    static void drawRing(const QRect& around, QPainter& painter) {
        drawFrame(around, painter, colours().accent, kRingWidth);
    }

    static void drawFrame(const QRect& around, QPainter& painter, const QColor& colour, double width) {
        const double inside = width / 2;
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(colour, width));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(around).adjusted(inside, inside, -inside, -inside), kCorner, kCorner);
        painter.restore();
    }

    static void drawCheckBox(const QStyleOption& option, QPainter& painter) {
        const bool ticked = (option.state & State_On) != 0;
        const bool usable = (option.state & State_Enabled) != 0;
        const QColor& mark = usable ? colours().accent : colours().disabled;
        const QColor& empty = usable ? colours().outline : colours().disabled;
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF box = QRectF(option.rect).adjusted(1, 1, -1, -1);
        painter.setPen(QPen(ticked ? mark : empty, 1));
        painter.setBrush(colours().raised);
        painter.drawRoundedRect(box, kCorner, kCorner);
        if (ticked) {
            painter.setPen(QPen(mark, box.width() / 6, Qt::SolidLine, Qt::RoundCap));
            const auto at = [&box](double x, double y) {
                return QPointF(box.left() + x * box.width(), box.top() + y * box.height());
            };
            painter.drawPolyline(QPolygonF({at(0.22, 0.52), at(0.42, 0.72), at(0.78, 0.3)}));
        }
        painter.restore();
    }
};

}  // namespace

QStyle* makeWidgetStyle() {
    return new WidgetStyle;
}

}  // namespace verbcast::theme
