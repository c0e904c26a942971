// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start/arguments.h"

#include "app/workbench/exitcodes.h"

#include <QCommandLineParser>
#include <QFileInfo>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace headscope::gui {

namespace {

using namespace Qt::StringLiterals;

constexpr int kLargestSide = 16384; // pixels

// How each act is written; its name ends where "=" stands.
constexpr std::array kActs{"continue",
                           "removal",
                           "flips",
                           "kinds",
                           "lecture",
                           "text=FILE",
                           "sample=TASK N",
                           "tour=NAME",
                           "step=N",
                           "answer=N",
                           "text-scale=PERCENT",
                           "experiment=N",
                           "study=FILE",
                           "run-experiment",
                           "why",
                           "patching",
                           "edges",
                           "knockout",
                           "score-parts",
                           "weights",
                           "probes",
                           "steering",
                           "experts=LAYER",
                           "log-probabilities",
                           "survey",
                           "run-survey",
                           "head-page=HEAD",
                           "command=NAME"};

// QCommandLineParser prints them itself only where a QCoreApplication is, and that one opens the display.
const char* const kOptions =
    "  --session FILE    session file to create or continue\n"
    "  --exam FILE       open exercises as an exam: own session, time limit, no hints to the answers\n"
    "  --device DEVICE   auto, cpu, cuda or cuda:i\n"
    "  --dtype DTYPE     auto, fp32, bf16, fp16; quantized weights: int8, int4\n"
    "  --threads N       number of processor threads; 0: one per core\n"
    "  --data FOLDER     folder of benchmark files\n"
    "  --look LOOK       system, light or dark; for this start only\n"
    "  --picture FILE    write a picture of the window when all measurements are done, and quit;\n"
    "                    needs no display\n"
    "  --off HEADS       with --picture: heads to ablate in A, such as L2H5\n"
    "  --act WHAT        with --picture: action before the picture; may be repeated:\n%1"
    "                    (command: an entry of a menu, such as Settings; the picture shows its dialog)\n"
    "  --size WxH        with --picture: size of the window; 1440x900 by default\n"
    "  -h, --help        print this help\n"
    "  -v, --version     print the version\n";

void addOptions(QCommandLineParser& parser)
{
    const QStringList valued{u"session"_s, u"exam"_s,    u"device"_s, u"dtype"_s, u"threads"_s, u"data"_s,
                             u"look"_s,    u"picture"_s, u"off"_s,    u"act"_s,   u"size"_s};
    for (const QString& name : valued)
        parser.addOption({name, QString(), u"value"_s});
    parser.addOption(QCommandLineOption(QStringList{u"h"_s, u"help"_s}));
    parser.addOption(QCommandLineOption(QStringList{u"v"_s, u"version"_s}));
}

QStringList acts()
{
    QStringList all;
    for (const char* act : kActs)
        all.append(QLatin1String(act));
    return all;
}

// With commas between them, in lines of at most 100 letters under the descriptions of the options.
QString actLines()
{
    const QString indent(20, u' ');
    QString text, line;
    for (const QString& act : acts()) {
        if (indent.size() + line.size() + act.size() + 3 > 100)
            text += indent + std::exchange(line, {}).append(u",\n"_s);
        line += (line.isEmpty() ? QString() : u", "_s) + act;
    }
    return text + indent + line;
}

Error wrong(const QString& option, const QString& value, const char* expected)
{
    return inputError("'" + value.toStdString() + "' does not fit " + option.toStdString() + "; expected " + expected
                      + ".");
}

void printHelp()
{
    std::printf(
        "Usage: headscope [options] [MODEL [MODEL_B] | SESSION]\nShow what each head of a language model reads, "
        "ablate heads, and measure the effect.\n\n"
        "  MODEL             model to open as A: folder, included model or org/name\n  MODEL_B           model to "
        "open beside it\n"
        "  SESSION           session file (*.headscope) to continue\n\n%s\nExit codes: %s\n",
        qPrintable(QString::fromLatin1(kOptions).arg(actLines() + u'\n')), std::string(app::kExitCodes).c_str());
}

Result<std::optional<int>> threadsOf(const QCommandLineParser& parser)
{
    if (!parser.isSet(u"threads"_s))
        return std::optional<int>();
    bool number = true;
    const QString threads = parser.value(u"threads"_s);
    const int count = threads.toInt(&number);
    if (!number || count < 0)
        return wrong(u"--threads"_s, threads, "a number of threads, 0 or more");
    return std::optional(count);
}

Result<QSize> pictureSize(const QString& text)
{
    const QStringList sides = text.split(u'x');
    const QSize size(sides.value(0).toInt(), sides.value(1).toInt());
    if (sides.size() != 2 || std::min(size.width(), size.height()) < 1
        || std::max(size.width(), size.height()) > kLargestSide)
        return wrong(u"--size"_s, text, "a width and a height in pixels such as 1440x900");
    return size;
}

bool isAct(const QString& act)
{
    const auto name = [](const QString& text) { return text.section(u'=', 0, 0); };
    const QStringList known = acts();
    return std::ranges::any_of(known, [&](const QString& one) { return name(one) == name(act); });
}

Result<void> checkWords(const Arguments& read, bool sized)
{
    if (read.models.size() > 2)
        return inputError("The window shows two models beside each other at most; got "
                          + std::to_string(read.models.size()) + ".");
    if (!read.look.isEmpty() && !QStringList{u"system"_s, u"light"_s, u"dark"_s}.contains(read.look))
        return wrong(u"--look"_s, read.look, "system, light or dark");
    for (const QString& act : read.acts)
        if (!isAct(act))
            return wrong(u"--act"_s, act, qPrintable(acts().join(u", "_s)));
    if (!read.exam.isEmpty() && (!read.session.isEmpty() || !read.models.isEmpty()))
        return inputError("An exam uses its own session and models; expected --exam FILE without --session and "
                          "without model names.");
    if (read.picture.isEmpty() && (!read.off.isEmpty() || !read.acts.isEmpty() || sized))
        return inputError("--off, --act and --size say what a picture shows; expected --picture FILE.png with them.");
    return {};
}

// Qt warns before it gives up; what a person can do is said once.
void printNoDisplay(QtMsgType type, const QMessageLogContext&, const QString&)
{
    if (type != QtFatalMsg)
        return;
    std::fputs("headscope: There is no display to open a window on; headscope-cli does the same work without one.\n",
               stderr);
    std::_Exit(1);
}

} // namespace

Result<std::optional<Arguments>> readArguments(const QStringList& arguments)
{
    QCommandLineParser parser;
    addOptions(parser);
    if (!parser.parse(arguments))
        return inputError(parser.errorText().toStdString() + (parser.errorText().endsWith(u'.') ? "" : ".")
                          + " headscope --help lists what there is.");
    if (parser.isSet(u"help"_s)) {
        printHelp();
        return std::optional<Arguments>();
    }
    if (parser.isSet(u"version"_s)) {
        std::printf("headscope %s\n", HEADSCOPE_VERSION);
        return std::optional<Arguments>();
    }
    const auto threads = threadsOf(parser);
    if (!threads.has_value())
        return threads.error();
    const auto size = pictureSize(parser.isSet(u"size"_s) ? parser.value(u"size"_s) : u"1440x900"_s);
    if (!size.has_value())
        return size.error();
    Arguments read{.models = parser.positionalArguments(),
                   .session = parser.value(u"session"_s),
                   .exam = parser.value(u"exam"_s),
                   .device = parser.value(u"device"_s),
                   .dtype = parser.value(u"dtype"_s),
                   .threads = *threads,
                   .data = parser.value(u"data"_s),
                   .look = parser.value(u"look"_s),
                   .picture = parser.value(u"picture"_s),
                   .off = parser.value(u"off"_s),
                   .acts = parser.values(u"act"_s),
                   .size = *size};
    // As a desktop opens a file: its name alone.
    if (read.models.size() == 1 && read.session.isEmpty() && read.models[0].endsWith(u".headscope"_s)
        && QFileInfo(read.models[0]).isFile())
        read.session = read.models.takeFirst();
    if (const auto good = checkWords(read, parser.isSet(u"size"_s)); !good.has_value())
        return good.error();
    return std::optional(read);
}

Result<app::Settings> settingsOf(const Arguments& arguments, app::Settings remembered)
{
    app::Settings& work = remembered;
    if (!arguments.device.isEmpty())
        work.device = arguments.device.toStdString();
    if (!arguments.dtype.isEmpty())
        work.dtype = arguments.dtype.toStdString();
    if (!arguments.data.isEmpty())
        work.dataFolder = arguments.data.toStdString();
    work.threads = arguments.threads.value_or(work.threads);
    if (const auto good = app::check(work); !good.has_value())
        return good.error();
    return work;
}

void expectDisplay(const Arguments& arguments)
{
    const auto unset = [](const char* name) { return qEnvironmentVariableIsEmpty(name); };
    if (!arguments.picture.isEmpty() && unset("DISPLAY") && unset("WAYLAND_DISPLAY") && unset("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    qInstallMessageHandler(printNoDisplay);
}

void displayIsThere()
{
    qInstallMessageHandler(nullptr);
}

} // namespace headscope::gui
