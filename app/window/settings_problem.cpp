#include "app/window/settings_problem.h"

#include <QRegularExpression>

#include "app/window/command_composer.h"

namespace verbcast {
namespace {

struct Wording {
    const char* program;
    const char* window;
};

// Longer ones first: each is replaced wherever it stands.
constexpr Wording kPhrases[] = {
    {"make one (verbcast key new FILE) and give --key-file FILE to both ends",
     "make one on the page of keys, and choose it at both ends"},
    {"leave --allow-input out; a screen takes it: verbcast send screen --allow-input",
     "leave Allow input out; a screen and a scene take it"},
    {"use --fps source or --fps max", "choose another Rate"},
    {" (verbcast key new FILE, --key-file FILE)", " (page of keys)"},
    {"--key-file FILE", "a key"},
    {"VERBCAST_KEY", "the key of the environment"}};

constexpr Wording kFields[] = {{"allow-input", "Allow input"},
                               {"encrypt", "Encrypt the pictures"},
                               {"format", "Format"},
                               {"fps", "Rate"},
                               {"fullscreen", "Fullscreen"},
                               {"grant", "They may"},
                               {"input", "Send keys and mouse"},
                               {"key-file", "Key"},
                               {"listen", "Address"},
                               {"loop", "Start again at the end"},
                               {"open", "Let in anybody"},
                               {"policy", "Policy"},
                               {"scene", "Scene"},
                               {"size", "Size"},
                               {"to", "Address"}};

}  // namespace

QString inWindowWords(QString text) {
    for (const Wording& phrase : kPhrases) {
        text.replace(phrase.program, phrase.window, Qt::CaseInsensitive);
    }
    static const QRegularExpression example("(for example) --[a-z-]+ ",
                                            QRegularExpression::CaseInsensitiveOption);
    text.replace(example, "\\1 ");
    for (const Wording& field : kFields) {
        text.replace(QRegularExpression(QString("(?<![\\w-])--%1(?![\\w-])").arg(field.program)),
                     field.window);
    }
    return text;
}

Message settingsProblem(const std::exception& error) {
    Message message = errorMessage(error);
    message.alarming = dynamic_cast<const MissingSetting*>(&error) == nullptr;
    message.title = message.alarming ? "Check these settings" : "";
    message.text = inWindowWords(message.text);
    message.remedy = inWindowWords(message.remedy);
    return message;
}

}  // namespace verbcast
