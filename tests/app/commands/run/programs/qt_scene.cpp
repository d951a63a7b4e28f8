// qt_scene window|widget: a Qt program that draws with OpenGL when something has changed. One colour:
//   red    200 while a key is held, else 50
//   green  1 for each 10 pixels from the left edge to the last press of the left button
//   blue   10 for each key press
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QOpenGLContext>
#include <QtGui/QOpenGLFunctions>
#include <QtOpenGL/QOpenGLWindow>
#include <QtOpenGLWidgets/QOpenGLWidget>
#include <QtWidgets/QApplication>
#include <cstring>

namespace {

/// Events and drawing are the same for both kinds of Qt's OpenGL surfaces.
template <typename Base>
class Scene final : public Base {
  protected:
    void paintGL() override {
        auto* functions = QOpenGLContext::currentContext()->functions();
        functions->glClearColor(held_ ? 200.0F / 255.0F : 50.0F / 255.0F, static_cast<float>(place_) / 255.0F,
                                static_cast<float>(presses_ * 10) / 255.0F, 1.0F);
        functions->glClear(0x4000);  // GL_COLOR_BUFFER_BIT
    }
    void keyPressEvent(QKeyEvent* event) override {
        if (!event->isAutoRepeat()) {
            held_ = true;
            ++presses_;
            this->update();
        }
    }
    void keyReleaseEvent(QKeyEvent* event) override {
        if (!event->isAutoRepeat()) {
            held_ = false;
            this->update();
        }
    }
    void mousePressEvent(QMouseEvent* event) override {
        if (event->button() == Qt::LeftButton) {
            place_ = static_cast<int>(event->position().x()) / 10;
            this->update();
        }
    }

  private:
    bool held_ = false;
    int presses_ = 0, place_ = 0;
};

template <typename Surface>
int show(Surface&& surface) {
    surface.resize(400, 300);
    surface.show();
    return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    const bool widget = argc > 1 && std::strcmp(argv[1], "widget") == 0;
    return widget ? show(Scene<QOpenGLWidget>()) : show(Scene<QOpenGLWindow>());
}
