// Extracting addresses from data dropped onto a window.
#include <gtest/gtest.h>

#include <utility>

#include "app/window/settings/dropped_addresses.h"

namespace verbcast::testing {
namespace {

/// Offers raw bytes as another program would: QMimeData::setData() would parse URI lists.
class Offer : public QMimeData {
  public:
    Offer(const char* type, QByteArray bytes) : type_(type), bytes_(std::move(bytes)) {}

  protected:
    bool hasFormat(const QString& type) const override { return type == type_; }
    QStringList formats() const override { return {type_}; }
    QVariant retrieveData(const QString& type, QMetaType /*wanted*/) const override {
        return type == type_ ? QVariant(bytes_) : QVariant();
    }

  private:
    QString type_;
    QByteArray bytes_;
};

QStringList of(const char* type, const QByteArray& bytes) {
    return droppedAddresses(Offer(type, bytes));
}

// RFC 2483, section 5: lines end with CRLF; lines that start with # are comments.
TEST(DroppedAddresses, AreTheLinesOfAListOfUris) {
    EXPECT_EQ(of("text/uri-list", "# two\r\nverbs://10.0.0.5:7423?gid=3\r\nshm://Camera\r\n"),
              (QStringList{"verbs://10.0.0.5:7423?gid=3", "shm://Camera"}));
}

/// As file managers give it, and as text of a path with spaces.
TEST(DroppedAddresses, MayBeAFile) {
    const QStringList uris = of("text/uri-list", "file:///films/a%20clip.mp4\r\n");
    ASSERT_EQ(uris.size(), 1);
    EXPECT_EQ(droppedFile(uris[0]), "/films/a clip.mp4");
    const QStringList path = of("text/plain", "/films/a clip.mp4\n");
    ASSERT_EQ(path.size(), 1);
    EXPECT_EQ(droppedFile(path[0]), "/films/a clip.mp4");
    EXPECT_EQ(droppedFile("shm://camera"), "");
    EXPECT_EQ(droppedFile("render1:7423"), "");
}

TEST(DroppedAddresses, AreTheWordsOfAText) {
    EXPECT_EQ(of("text/plain", " render1:7423\n render2 \n"), (QStringList{"render1:7423", "render2"}));
    EXPECT_EQ(of("text/plain", " \n"), QStringList());
    EXPECT_EQ(of("image/png", "x"), QStringList());
}

}  // namespace
}  // namespace verbcast::testing
