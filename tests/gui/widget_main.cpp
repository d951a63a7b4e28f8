#include <gtest/gtest.h>

#include <QApplication>

#include "app/window/application.h"
#include "tests/gui/widget_fixture.h"

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    if (::testing::GTEST_FLAG(list_tests)) {
        return RUN_ALL_TESTS();
    }
    verbcast::testing::XServer server;
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
