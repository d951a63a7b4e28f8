// The page of walls: which display shows which part of a picture.
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QWidget>
#include <functional>

#include "app/window/parts/choice_combo.h"
#include "app/window/parts/command_bar.h"
#include "app/window/parts/problem_panel.h"
#include "app/window/wall/display_form.h"
#include "app/window/wall/live_picture.h"
#include "app/window/wall/wall_canvas.h"

namespace verbcast {

/// Edits the file of a wall over a sender's current picture. Belongs to the GUI thread; stores the file's
/// name in QSettings.
class WallPage : public QWidget {
    Q_OBJECT
  public:
    explicit WallPage(QWidget* parent = nullptr);
    ~WallPage() override;

    void copyCommand() { command_->copy(); }
    void focusFirst() { canvas_->setFocus(); }
    /// The key for the sender of the picture.
    void useKey(const QString& file) { keyFile_ = file; }
    /// Asks the user if changes would be lost. Returns false to stay.
    bool mayLeave();

  private:
    QWidget* makeForm();
    QWidget* makeView();
    void connectParts();
    void makeNew();
    void openFile();
    void saveAs();
    void saveTo(const QString& path);
    /// Asks for a name if the wall has no file.
    void save();
    void use(const Wall& wall, const QString& file);
    /// Shows the wall and the chosen display.
    void showDisplay();
    /// Call after each change of the wall; it is to be saved then.
    void followChange();
    void follow();
    void addDisplay();
    void removeDisplay();
    void watch();
    void stopWatching();
    /// Tells of the sender of the picture, and how the wall shows it.
    void tellOfPicture();
    /// Runs `action` and shows its Error. Returns false if there was one.
    bool attempt(const QString& failure, const std::function<void()>& action);

    Wall wall_;
    QString file_;
    bool modified_ = false;
    QString keyFile_;

    QPushButton* new_;
    QPushButton* open_;
    QPushButton* save_;
    QPushButton* saveAs_;
    QPushButton* add_;
    QPushButton* remove_;
    QLabel* title_;
    QCheckBox* gaps_;
    ChoiceCombo* fit_;
    DisplayForm* form_;
    ChoiceCombo* address_;
    QPushButton* watch_;
    QLabel* news_;
    WallCanvas* canvas_;
    QListWidget* findings_;
    ProblemPanel* problem_;
    CommandBar* command_;
    LivePicture picture_;
    bool watching_ = false;
    QSize pictureSize_;  // as sent; empty: none has come
    bool pictureUpright_ = true;
    QString pictureState_, watched_;
};

}  // namespace verbcast
