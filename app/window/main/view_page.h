// The page to view: addresses and open streams.
#pragma once

#include <QCheckBox>
#include <QListWidget>
#include <QPushButton>
#include <QRadioButton>
#include <QWidget>
#include <map>
#include <memory>

#include "app/window/main/child_program.h"
#include "app/window/parts/command_bar.h"
#include "app/window/parts/field_bindings.h"
#include "app/window/parts/problem_panel.h"
#include "app/window/stats/status_strip.h"
#include "app/window/trust/trust_form.h"

namespace verbcast {

/// Each stream's window is a process of its own (verbcast view), so that one waiting for its screen does not
/// hold up others. They end with this object.
class ViewPage : public QWidget {
    Q_OBJECT
  public:
    explicit ViewPage(QWidget* parent = nullptr);
    ~ViewPage() override;

    ViewSettings settings() const;
    void setSettings(const ViewSettings& settings);
    /// Opens a window for the address.
    void open();
    std::size_t openStreams() const { return viewers_.size(); }
    void copyCommand() { command_->copy(); }
    void focusFirst() { address_->setFocus(); }
    void useKey(const QString& file) { trust_->useKey(file); }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeForm();
    QWidget* makeLists();
    void connectParts();
    bool check();
    void listRecent();
    void openRecent(const QListWidgetItem* item);
    void forgetSelected();
    void closeSelected();
    void onEnded(QListWidgetItem* item, const ChildEnd& end);

    QRadioButton* connect_;
    QRadioButton* listen_;
    ChoiceCombo* address_;
    TrustForm* trust_;
    ChoiceCombo* layout_;
    ChoiceCombo* align_;
    ChoiceCombo* delay_;
    ChoiceCombo* senders_;
    QCheckBox* fullscreen_;
    QCheckBox* input_;
    QPushButton* open_;
    QListWidget* recent_;
    QListWidget* streams_;
    QPushButton* close_;
    ElidedLabel* news_;
    ProblemPanel* problem_;
    CommandBar* command_;
    FieldBindings<ViewSettings> fields_;
    std::string panes_;         // of a session: arranged in the stream's window
    std::string panesAddress_;  // the addresses that panes_ are for
    std::map<QListWidgetItem*, std::unique_ptr<ChildProgram>> viewers_;  // by item in streams_
};

}  // namespace verbcast
