// The hosts that this user has paired with.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QWidget>
#include <string>

namespace verbcast {

/// Lists the file of paired hosts, and forgets those that are chosen. Belongs to the GUI thread.
class PairedHostsTable : public QWidget {
    Q_OBJECT
  public:
    explicit PairedHostsTable(QWidget* parent = nullptr);

    /// Reads the file again.
    void follow();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void forgetChosen();

    QTableWidget* table_;
    QLabel* news_;
    QPushButton* forget_;
};

}  // namespace verbcast
