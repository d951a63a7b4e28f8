// Which field of a form shows which setting: one list for reading, showing and hearing of changes.
#pragma once

#include <QAbstractButton>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QSpinBox>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/window/parts/choice_combo.h"

namespace verbcast {

inline std::string valueOf(const ChoiceCombo& field) {
    return field.value().toStdString();
}
inline std::string valueOf(const QLineEdit& field) {
    return field.text().toStdString();
}
inline bool valueOf(const QAbstractButton& field) {
    return field.isChecked();
}
inline int valueOf(const QSpinBox& field) {
    return field.value();
}
inline double valueOf(const QDoubleSpinBox& field) {
    return field.value();
}

inline void setValueOf(ChoiceCombo& field, const std::string& value) {
    field.setValue(QString::fromStdString(value));
}
inline void setValueOf(QLineEdit& field, const std::string& value) {
    if (value != valueOf(field)) {  // else the cursor would move
        field.setText(QString::fromStdString(value));
    }
}
inline void setValueOf(QAbstractButton& field, bool value) {
    field.setChecked(value);
}
template <typename Number>
void setValueOf(QSpinBox& field, Number value) {
    field.setValue(static_cast<int>(value));
}
inline void setValueOf(QDoubleSpinBox& field, double value) {
    field.setValue(value);
}

/// The fields must outlive this, as members of the same form do. Belongs to the GUI thread.
template <typename Settings>
class FieldBindings {
  public:
    /// Calls `changed`, which may be a signal, for each change of a field, but not during show().
    template <typename Form, typename Result>
    FieldBindings(Form* form, Result (Form::*changed)()) : changed_([=] { (form->*changed)(); }) {}
    FieldBindings(const FieldBindings&) = delete;
    FieldBindings& operator=(const FieldBindings&) = delete;

    /// `setting`: a member of Settings, or a function that returns a reference into const or other Settings.
    template <typename Field, typename Setting>
    void bind(Field* field, Setting setting) {
        bindings_.push_back(
            {[=](Settings& settings) {
                 auto& value = std::invoke(setting, settings);
                 value = static_cast<std::remove_reference_t<decltype(value)>>(valueOf(*field));
             },
             [=](const Settings& settings) { setValueOf(*field, std::invoke(setting, settings)); }});
        if constexpr (std::is_base_of_v<QAbstractButton, Field>) {
            QObject::connect(field, &Field::toggled, field, [this] { tell(); });
        } else if constexpr (std::is_same_v<QLineEdit, Field>) {
            QObject::connect(field, &Field::textChanged, field, [this] { tell(); });
        } else {
            QObject::connect(field, &Field::valueChanged, field, [this] { tell(); });
        }
    }

    /// Sets the settings that have a field.
    void read(Settings& settings) const {
        for (const Binding& binding : bindings_) {
            binding.read(settings);
        }
    }
    void show(const Settings& settings) {
        showing_ = true;
        for (const Binding& binding : bindings_) {
            binding.show(settings);
        }
        showing_ = false;
    }

  private:
    struct Binding {
        std::function<void(Settings&)> read;
        std::function<void(const Settings&)> show;
    };
    void tell() const {
        if (!showing_) {
            changed_();
        }
    }

    std::function<void()> changed_;
    std::vector<Binding> bindings_;
    bool showing_ = false;
};

}  // namespace verbcast
