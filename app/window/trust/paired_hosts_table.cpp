#include "app/window/trust/paired_hosts_table.h"

#include <QHeaderView>
#include <ctime>
#include <optional>
#include <set>

#include "app/cli/trust/trust_choice.h"
#include "app/window/parts/core_words.h"
#include "app/window/parts/form.h"
#include "app/window/style/theme.h"
#include "core/base/error.h"
#include "core/session/trust/pairing.h"

namespace verbcast {

PairedHostsTable::PairedHostsTable(QWidget* parent)
    : QWidget(parent),
      table_(new QTableWidget(0, 5, this)),
      news_(mutedLabel("", this)),
      forget_(buttonFor(this, &PairedHostsTable::forgetChosen, tr("&Forget the host"),
                        tr("It has to be paired again, with a new code"))) {
    table_->setHorizontalHeaderLabels(
        {tr("Host"), tr("Addresses"), tr("May"), tr("Paired on"), tr("Last seen")});
    table_->setAccessibleName(tr("Paired hosts"));
    table_->setToolTip(tr("Hosts that a code was typed for: they connect without one now"));
    table_->verticalHeader()->hide();
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->horizontalHeader()->setMinimumSectionSize(theme::line());
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setTabKeyNavigation(false);
    table_->setMinimumHeight(theme::line() * 6);
    news_->setTextFormat(Qt::PlainText);
    news_->setWordWrap(true);
    news_->setAccessibleName(tr("Paired hosts: state"));
    setLayout(columnOf(theme::line() / 2, {table_, rowOf(theme::line() / 3, {Part(news_, 1), forget_})}));
    connect(table_, &QTableWidget::itemSelectionChanged, this,
            [this] { forget_->setEnabled(!table_->selectedItems().isEmpty()); });
    follow();
}

void PairedHostsTable::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    follow();
}

void PairedHostsTable::follow() {
    std::vector<PairedHost> hosts;
    std::vector<std::optional<std::time_t>> seen;
    news_->setText({});
    try {
        const PairedHosts file(PairedHosts::defaultPath());
        hosts = file.list();
        for (const PairedHost& host : hosts) {
            seen.push_back(file.lastSeen(host));
        }
        if (hosts.empty()) {
            news_->setText(tr("None yet. A host that is not paired shows a code, and asks for it here"));
        }
    } catch (const Error& error) {
        news_->setText(sentence(QString::fromUtf8(error.what())));
    }
    table_->setRowCount(static_cast<int>(hosts.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const auto at = static_cast<std::size_t>(row);
        const PairedHost& host = hosts[at];
        QStringList addresses;
        for (const std::string& address : host.addresses) {
            addresses << QString::fromStdString(address);
        }
        const QStringList texts{QString::fromStdString(host.name), addresses.join(", "),
                                QString::fromStdString(grantsText(host.grants)).replace(",", ", "),
                                QString::fromStdString(host.since),
                                seen[at] ? QString::fromStdString(seenText(seen[at])) : tr("not yet")};
        for (int column = 0; column < texts.size(); ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            item->setToolTip(texts[column]);
            table_->setItem(row, column, item);
        }
    }
    forget_->setEnabled(false);
}

void PairedHostsTable::forgetChosen() {
    const int row = table_->currentRow();
    if (row < 0) {
        return;
    }
    // By its address: names are chosen by the hosts themselves, and need not be unique.
    const QStringList addresses = table_->item(row, 1)->text().split(", ", Qt::SkipEmptyParts);
    const QString name = table_->item(row, 0)->text();
    try {
        const PairedHosts file{PairedHosts::defaultPath()};
        static_cast<void>(file.forget((addresses.isEmpty() ? name : addresses.first()).toStdString()));
        follow();
        news_->setText(tr("%1 is forgotten: it has to be paired again").arg(name));
    } catch (const Error& error) {
        news_->setText(sentence(QString::fromUtf8(error.what())));
    }
}

}  // namespace verbcast
