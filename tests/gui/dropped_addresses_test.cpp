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

TEST(DroppedAddresses, AreTheWordsOfAText) {
    EXPECT_EQ(of("text/plain", " render1:7423\n render2 \n"), (QStringList{"render1:7423", "render2"}));
    EXPECT_EQ(of("text/plain", " \n"), QStringList());
    EXPECT_EQ(of("image/png", "x"), QStringList());
}

}  // namespace
}  // namespace verbcast::testing
