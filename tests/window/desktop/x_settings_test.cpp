// Parsing settings as an XSETTINGS manager writes them, complete and truncated.
#include "app/window/desktop/x_settings.h"

#include <gtest/gtest.h>

#include "tests/window/desktop/x_settings_manager.h"

namespace verbcast::testing {
namespace {

TEST(XSettingsText, IsFoundInEitherByteOrderAndNeverBehindTheEnd) {
    for (const QDataStream::ByteOrder order : {QDataStream::LittleEndian, QDataStream::BigEndian}) {
        const QByteArray whole = xSettingsProperty("Adwaita-dark", order);
        EXPECT_EQ(xSettingsText(whole, "Net/ThemeName"), "Adwaita-dark");
        EXPECT_EQ(xSettingsText(whole, "Net/DoubleClickTime"), "") << "a number";
        EXPECT_EQ(xSettingsText(whole, "Net/IconThemeName"), "");
        for (qsizetype length = 0; length < whole.size(); ++length) {
            EXPECT_EQ(xSettingsText(whole.first(length), "Net/ThemeName"), "") << length;
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
