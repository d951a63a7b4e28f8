// gui_widget_test [--language=LANGUAGE]: windows are in English unless another language is given.
#include <gtest/gtest.h>

#include <QApplication>
#include <QTemporaryDir>
#include <cstring>

#include "app/window/parts/application.h"
#include "tests/window/desktop/desktop_portal.h"
#include "tests/window/widget_fixture.h"

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    if (::testing::GTEST_FLAG(list_tests)) {
        return RUN_ALL_TESTS();
    }
    constexpr const char* kOption = "--language=";
    const bool named = argc > 1 && std::strncmp(argv[1], kOption, std::strlen(kOption)) == 0;
    qputenv("LANGUAGE", named ? argv[1] + std::strlen(kOption) : "en");
    qputenv("LC_ALL", "C.UTF-8");
    verbcast::testing::XServer server;
    const QTemporaryDir home;  // keeps the user's settings and desktop out
    const verbcast::testing::SessionBus bus;
    for (const char* variable : {"HOME", "XDG_RUNTIME_DIR"}) {
        qputenv(variable, home.path().toUtf8());
    }
    for (const char* variable : {"XDG_CONFIG_HOME", "XDG_CURRENT_DESKTOP"}) {
        qunsetenv(variable);
    }
    qputenv("DBUS_SESSION_BUS_ADDRESS", bus.address().toUtf8());
    qputenv("DISPLAY", server.display().toUtf8());
    qputenv("QT_QPA_PLATFORM", "xcb");
    int result = 0;
    {
        QApplication application(argc, argv);
        verbcast::nameApplication(application);
        verbcast::testing::xServer = &server;
        result = RUN_ALL_TESTS();
    }
    return result;
}
