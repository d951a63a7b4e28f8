#include "app/window/parts/window_words.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

namespace verbcast {
namespace {

/// Translates into the user's language. "" stays empty.
QString inThisLanguage(const char* words) {
    return *words == '\0' ? QString() : QCoreApplication::translate("verbcast::WindowWords", words);
}

struct Wording {
    const char* program;
    const char* window;
};

// Longer phrases first: each is replaced wherever it occurs.
constexpr Wording kPhrases[] = {
    {"make one (verbcast key new FILE) and give --key-file FILE to both ends",
     QT_TRANSLATE_NOOP("verbcast::WindowWords", "make one on the page of keys, and choose it at both ends")},
    {"make one: verbcast key new FILE",
     QT_TRANSLATE_NOOP("verbcast::WindowWords", "make one on the page of keys")},
    {"leave --allow-input out; a screen takes it: verbcast send screen --allow-input",
     QT_TRANSLATE_NOOP("verbcast::WindowWords", "leave Allow input out; a screen and a scene take it")},
    {"use --fps source or --fps max", QT_TRANSLATE_NOOP("verbcast::WindowWords", "choose another Rate")},
    {"allow more with --max-memory SIZE, or hold fewer frames with --slots N",
     QT_TRANSLATE_NOOP("verbcast::WindowWords",
                       "close other programs on this machine, or view a smaller picture")},
    {" (verbcast key new FILE, --key-file FILE)", " (page of keys)"},
    {" (it shows a code for verbcast key pair)", " (it shows a code to type)"},
    {"run  verbcast key pair ADDRESS  there (the address that it called)",
     QT_TRANSLATE_NOOP("verbcast::WindowWords", "connect again there")},
    {" (--key-file FILE or VERBCAST_KEY)", ""},
    {" (--open, there)", " (there: Let in anybody)"},
    {"send with --policy lossless",
     QT_TRANSLATE_NOOP("verbcast::WindowWords", "send with the policy Lossless")},
    {"; see --max-memory", ""},
    {"its --listen", "its"},
    {"--key-file FILE", "a key"},
    {"VERBCAST_KEY", "the key of the environment"}};

constexpr Wording kFields[] = {
    {"allow-input", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Allow input")},
    {"encrypt", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Encrypt the pictures")},
    {"format", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Format")},
    {"fps", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Rate")},
    {"fullscreen", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Fullscreen")},
    {"grant", QT_TRANSLATE_NOOP("verbcast::WindowWords", "They may")},
    {"input", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Send keys and mouse")},
    {"key-file", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Key")},
    {"listen", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Address")},
    {"loop", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Start again at the end")},
    {"open", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Let in anybody")},
    {"policy", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Policy")},
    {"scene", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Scene")},
    {"size", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Size")},
    {"to", QT_TRANSLATE_NOOP("verbcast::WindowWords", "Address")}};

/// Matches an option or a command of the program.
const QRegularExpression& commandWords() {
    static const QRegularExpression words(R"((?<![\w-])--[a-z]|\bverbcast [a-z])");
    return words;
}

/// Keeps the clauses that contain no command words. Separators go with their clauses.
QString withoutCommands(const QString& remedy) {
    static const QRegularExpression separator("(; |, or |, and )");
    QString kept;
    QString before;  // separates the next clause from the previous one
    qsizetype from = 0;
    while (from <= remedy.size()) {
        const QRegularExpressionMatch match = separator.match(remedy, from);
        const qsizetype to = match.hasMatch() ? match.capturedStart() : remedy.size();
        const QString clause = remedy.mid(from, to - from);
        if (!clause.contains(commandWords())) {
            kept += (kept.isEmpty() ? QString() : before) + clause;
        }
        before = match.captured();
        from = match.hasMatch() ? match.capturedEnd() : remedy.size() + 1;
    }
    return kept;
}

}  // namespace

QString inWindowWords(QString text) {
    for (const Wording& phrase : kPhrases) {
        text.replace(phrase.program, inThisLanguage(phrase.window), Qt::CaseInsensitive);
    }
    static const QRegularExpression pairing(R"(: verbcast key pair( \S+:\S+)?)");
    text.remove(pairing);
    static const QRegularExpression example("(for example) --[a-z-]+ ",
                                            QRegularExpression::CaseInsensitiveOption);
    text.replace(example, "\\1 ");
    for (const Wording& field : kFields) {
        text.replace(QRegularExpression(QString("(?<![\\w-])--%1(?![\\w-])").arg(field.program)),
                     inThisLanguage(field.window));
    }
    static const QRegularExpression aside(R"( \([^()]*((?<![\w-])--[a-z]|\bverbcast [a-z])[^()]*\))");
    return text.remove(aside);
}

Message inWindowWords(Message message) {
    message.text = inWindowWords(message.text);
    message.remedy = withoutCommands(inWindowWords(message.remedy));
    if (!message.remedy.isEmpty()) {
        message.remedy[0] = message.remedy[0].toUpper();
    }
    return message;
}

bool isInvitation(const QString& line) {
    return line.contains("To admit it, run  verbcast key pair ");
}

}  // namespace verbcast
