#include "app/window/settings/dropped_addresses.h"

#include <QRegularExpression>
#include <QUrl>

namespace verbcast {

QStringList droppedAddresses(const QMimeData& data) {
    static const QRegularExpression space("\\s+");
    QStringList addresses;
    // As written: QUrl would turn names of shm:// to lower case.
    for (const QString& line : QString::fromUtf8(data.data("text/uri-list")).split('\n')) {
        const QString address = line.trimmed();
        if (!address.isEmpty() && !address.startsWith('#')) {  // RFC 2483: comments
            addresses << address;
        }
    }
    return !addresses.isEmpty()                    ? addresses
           : data.text().trimmed().startsWith('/') ? QStringList{data.text().trimmed()}
                                                   : data.text().split(space, Qt::SkipEmptyParts);
}

QString droppedFile(const QString& dropped) {
    const QUrl url(dropped);
    const QString path = url.isLocalFile() ? url.toLocalFile() : dropped;
    return path.startsWith('/') ? path : QString();
}

}  // namespace verbcast
