#include "app/window/parts/window_words.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <array>

namespace verbcast {
namespace {

struct Wording {
    const char* program;
    const char* window;
};

struct WindowWords {
    Q_DECLARE_TR_FUNCTIONS(verbcast::WindowWords)
  public:
    static auto phrases();
    static auto fields();
    /// "" stays empty.
    static QString translated(const char* words) { return *words == '\0' ? QString() : tr(words); }
};

/// Longer phrases first: each is replaced wherever it occurs.
auto WindowWords::phrases() {
    return std::to_array<Wording>(
        {{"make one (verbcast key new FILE) and give --key-file FILE to both ends",
          QT_TR_NOOP("make one on the page of keys, and choose it at both ends")},
         {"--encrypt needs a key", QT_TR_NOOP("encrypting the pictures needs a key")},
         {"--open and a key exclude each other: a key keeps others out",
          QT_TR_NOOP("admitting anybody and a key exclude each other: a key keeps others out")},
         {"leave out --open, or --key-file and VERBCAST_KEY",
          QT_TR_NOOP("clear Let in anybody, or start without the key of the environment")},
         {"make one: verbcast key new FILE", QT_TR_NOOP("make one on the page of keys")},
         {"leave --allow-input out; a screen takes it: verbcast send screen --allow-input",
          QT_TR_NOOP("leave Allow input out; a screen and a scene take it")},
         {"use --fps source or --fps max", QT_TR_NOOP("choose another Rate")},
         {"allow more with --max-memory SIZE, or hold fewer frames with --slots N",
          QT_TR_NOOP("close other programs on this machine, or view a smaller picture")},
         {" (verbcast key new FILE, --key-file FILE)", " (page of keys)"},
         {" (it shows a code for verbcast key pair)", " (it shows a code to type)"},
         {"run  verbcast key pair ADDRESS  there (the address that it called)",
          QT_TR_NOOP("connect again there")},
         {" (--key-file FILE or VERBCAST_KEY)", ""},
         {" (--open, there)", " (there: Let in anybody)"},
         {"send with --policy lossless", QT_TR_NOOP("send with the policy Lossless")},
         {"; see --max-memory", ""},
         {"its --listen", "its"},
         {"--key-file FILE", "a key"},
         {"VERBCAST_KEY", "the key of the environment"}});
}

auto WindowWords::fields() {
    return std::to_array<Wording>({{"allow-input", QT_TR_NOOP("Allow input")},
                                   {"encrypt", QT_TR_NOOP("Encrypt the pictures")},
                                   {"format", QT_TR_NOOP("Format")},
                                   {"fps", QT_TR_NOOP("Rate")},
                                   {"fullscreen", QT_TR_NOOP("Fullscreen")},
                                   {"grant", QT_TR_NOOP("They may")},
                                   {"input", QT_TR_NOOP("Send keys and mouse")},
                                   {"key-file", QT_TR_NOOP("Key")},
                                   {"listen", QT_TR_NOOP("Address")},
                                   {"loop", QT_TR_NOOP("Start again at the end")},
                                   {"open", QT_TR_NOOP("Let in anybody")},
                                   {"policy", QT_TR_NOOP("Policy")},
                                   {"scene", QT_TR_NOOP("Scene")},
                                   {"size", QT_TR_NOOP("Size")},
                                   {"to", QT_TR_NOOP("Address")}});
}

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
    for (const Wording& phrase : WindowWords::phrases()) {
        text.replace(phrase.program, WindowWords::translated(phrase.window), Qt::CaseInsensitive);
    }
    static const QRegularExpression pairing(R"(: verbcast key pair( \S+:\S+)?)");
    text.remove(pairing);
    static const QRegularExpression example("(for example) --[a-z-]+ ",
                                            QRegularExpression::CaseInsensitiveOption);
    text.replace(example, "\\1 ");
    for (const Wording& field : WindowWords::fields()) {
        text.replace(QRegularExpression(QString("(?<![\\w-])--%1(?![\\w-])").arg(field.program)),
                     WindowWords::translated(field.window));
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
