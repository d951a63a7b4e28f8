// Which field of a form shows which setting: one list for reading, showing and hearing of changes.
#pragma once

#include <QAbstractButton>
#include <QLineEdit>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/window/parts/choice_combo.h"

namespace verbcast {

/// As settings have it.
template <typename Field>
auto valueOf(const Field& field) {
    if constexpr (std::is_base_of_v<QAbstractButton, Field>) {
        return field.isChecked();
    } else if constexpr (std::is_same_v<QLineEdit, Field>) {
        return field.text().toStdString();
    } else if constexpr (std::is_same_v<ChoiceCombo, Field>) {
        return field.value().toStdString();
    } else {
        return field.value();
    }
}

template <typename Field, typename Value>
void setValueOf(Field& field, const Value& value) {
    if constexpr (std::is_base_of_v<QAbstractButton, Field>) {
        field.setChecked(value);
    } else if constexpr (std::is_same_v<QLineEdit, Field>) {
        if (value != valueOf(field)) {  // else the cursor would move
            field.setText(QString::fromStdString(value));
        }
    } else if constexpr (std::is_same_v<ChoiceCombo, Field>) {
        field.setValue(QString::fromStdString(value));
    } else {
        field.setValue(static_cast<decltype(field.value())>(value));
    }
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
