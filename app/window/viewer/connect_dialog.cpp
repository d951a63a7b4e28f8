#include "app/window/viewer/connect_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QRadioButton>
#include <QVBoxLayout>

#include "app/cli/peer_options.h"
#include "app/window/parts/form.h"
#include "app/window/settings/recent_addresses.h"
#include "app/window/style/theme.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

struct Example {
    const char* address;
    const char* meaning;
};

constexpr Example kExamples[] = {
    {"render1:7423", QT_TRANSLATE_NOOP("verbcast::ConnectDialog", "the fastest way that works")},
    {"verbs://10.0.0.5", QT_TRANSLATE_NOOP("verbcast::ConnectDialog", "InfiniBand or RoCE")},
    {"tcp://[fe80::1%eth0]:7423", QT_TRANSLATE_NOOP("verbcast::ConnectDialog", "any network")},
    {"shm://camera", QT_TRANSLATE_NOOP("verbcast::ConnectDialog", "a sender on this machine")},
};

}  // namespace

ConnectDialog::ConnectDialog(const std::optional<SessionAddress>& current, const QString& keyFile,
                             QWidget* parent, Purpose purpose)
    : QDialog(parent),
      address_(new QComboBox(this)),
      connect_(new QRadioButton(tr("&Connect to a sender"), this)),
      listen_(new QRadioButton(tr("&Wait for a sender"), this)),
      problem_(new QLabel(this)),
      key_(new KeyField(KeyField::None::Allowed, this)) {
    setWindowTitle(purpose == Purpose::Add ? tr("Verbcast - Add a stream") : tr("Verbcast - Connect"));
    address_->setEditable(true);
    address_->setInsertPolicy(QComboBox::NoInsert);
    address_->setCompleter(nullptr);  // inline completion would turn host:74 into host:7423 on Enter
    for (const RecentStream& stream : recentStreams()) {
        if (!stream.isOfSeveral()) {
            address_->addItem(stream.address, stream.listen);
        }
    }
    address_->setEditText(current ? QString::fromStdString(addressText(*current)) : QString());
    address_->setAccessibleName(tr("Address"));
    address_->lineEdit()->setAccessibleName(tr("Address"));
    address_->setMinimumWidth(theme::line() * 26);
    address_->lineEdit()->selectAll();
    (current && current->listen ? listen_ : connect_)->setChecked(true);
    problem_->setWordWrap(true);
    problem_->setMinimumHeight(theme::line() * 5 / 2);
    problem_->setAlignment(Qt::AlignTop);
    problem_->setAccessibleName(tr("Problem with the address"));

    key_->setFile(keyFile);
    auto* addressLabel = new QLabel(tr("&Address"), this);
    addressLabel->setBuddy(address_);
    auto* keyLabel = new QLabel(tr("&Key"), this);
    keyLabel->setBuddy(key_->focusProxy());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    go_ = buttons->addButton(tr("Connect"), QDialogButtonBox::AcceptRole);
    go_->setDefault(true);
    for (QAbstractButton* button : buttons->buttons()) {
        button->setIcon({});
    }

    auto* column = new QVBoxLayout(this);
    const int line = theme::line();
    column->setContentsMargins(line * 3 / 2, line * 5 / 4, line * 3 / 2, line);
    column->setSpacing(line / 2);
    column->addWidget(connect_);
    column->addWidget(listen_);
    column->addSpacing(line / 2);
    column->addWidget(addressLabel);
    column->addWidget(address_);
    column->addWidget(problem_);
    column->addWidget(makeExamples());
    column->addSpacing(line / 2);
    column->addWidget(keyLabel);
    column->addWidget(key_);
    column->addWidget(key_->problemLabel());
    column->addSpacing(line / 2);
    column->addWidget(buttons);
    layout()->setSizeConstraint(QLayout::SetFixedSize);

    QObject::connect(address_, &QComboBox::editTextChanged, this, &ConnectDialog::validate);
    QObject::connect(address_, &QComboBox::activated, this, [this](int index) {
        (address_->itemData(index).toBool() ? listen_ : connect_)->setChecked(true);
    });
    QObject::connect(listen_, &QRadioButton::toggled, this, &ConnectDialog::validate);
    QObject::connect(key_, &KeyField::changed, this, &ConnectDialog::validate);
    QObject::connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    address_->setFocus();
    validate();
}

QWidget* ConnectDialog::makeExamples() {
    auto* box = new QWidget(this);
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(theme::line());
    grid->setVerticalSpacing(theme::line() / 5);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const Example& example : kExamples) {
        grid->addWidget(new QLabel(example.address, box), row, 0);
        grid->addWidget(mutedLabel(tr(example.meaning), box), row, 1);
        ++row;
    }
    return box;
}

bool ConnectDialog::listen() const {
    return listen_->isChecked();
}

void ConnectDialog::validate() {
    go_->setText(listen() ? tr("Wait") : tr("Connect"));
    const QString text = address_->currentText().trimmed();
    QString problem;
    if (text.isEmpty()) {
        problem = tr("Type an address; the examples below show what it can look like.");
    } else {
        try {
            chosen_ = listen() ? SessionAddress{.url = parseUrl(text.toStdString()), .listen = true}
                               : parsePeer(text.toStdString());
        } catch (const Error& error) {
            problem = QString::fromUtf8(error.what());
            if (!error.remedy().empty()) {
                problem += "\n" + QString::fromStdString(error.remedy());
            }
        }
    }
    problem_->setText(problem);
    theme::setTone(*problem_, text.isEmpty() ? theme::Tone::Muted : theme::Tone::Warning);
    go_->setEnabled(problem.isEmpty() && !key_->problem());  // the field shows that problem
}

}  // namespace verbcast
