// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start/arguments.h"

#include "app/workbench/exitcodes.h"

#include <QCommandLineParser>
#include <QFileInfo>
#include <QtGlobal>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace headscope::gui {

namespace {

using namespace Qt::StringLiterals;

constexpr int kLargestSide = 16384; // pixels

// QCommandLineParser prints them itself only where a QCoreApplication is, and that one opens the display.
const char* const kOptions =
    "  --session FILE    session file to create or continue\n"
    "  --device DEVICE   auto, cpu, cuda or cuda:i\n"
    "  --dtype DTYPE     auto, fp32, bf16, fp16; weights alone in fewer bits: int8, int4\n"
    "  --threads N       processor threads; 0: one per core\n"
    "  --data FOLDER     folder with benchmark files\n"
    "  --look LOOK       system, light or dark; not remembered\n"
    "  --picture FILE    write a picture of the window when every number is in, and quit; needs no display\n"
    "  --off HEADS       with --picture: what is ablated in A, such as L2H5\n"
    "  --act WHAT        with --picture: what is done before the picture: continue, removal, flips, kinds, lecture,\n"
    "                    text=FILE, sample=TASK N, tour=NAME, step=N, answer=N, text-scale=PERCENT, experiment=N,\n"
    "                    study=FILE, run-experiment, why, patching, edges, knockout, weights, probes, steering,\n"
    "                    log-probabilities, survey, run-survey, head-page=HEAD, command=NAME (of a menu, such as\n"
    "                    Settings: the picture is of its dialog)\n"
    "                    (several times)\n"
    "  --size WxH        with --picture: size of the window, 1440x900 where it is left out\n"
    "  -h, --help        this text\n"
    "  -v, --version     the version\n";

void addOptions(QCommandLineParser& parser)
{
    const QStringList valued{u"session"_s, u"device"_s,  u"dtype"_s, u"threads"_s, u"data"_s,
                             u"look"_s,    u"picture"_s, u"off"_s,   u"act"_s,     u"size"_s};
    for (const QString& name : valued)
        parser.addOption({name, QString(), u"value"_s});
    parser.addOption(QCommandLineOption(QStringList{u"h"_s, u"help"_s}));
    parser.addOption(QCommandLineOption(QStringList{u"v"_s, u"version"_s}));
}

Error wrong(const QString& option, const QString& value, const char* expected)
{
    return inputError("'" + value.toStdString() + "' does not fit " + option.toStdString() + "; expected " + expected
                      + ".");
}

// Qt warns before it gives up; what a person can do is said once.
void sayNoDisplay(QtMsgType type, const QMessageLogContext&, const QString&)
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
        std::printf(
            "Usage: headscope [options] [MODEL [MODEL_B] | SESSION]\nSee every head's pattern, switch heads off, score "
            "again.\n\n"
            "  MODEL             model to open as A: folder, shipped name or org/name\n  MODEL_B           model to "
            "open beside it\n"
            "  SESSION           session file (*.headscope) to continue\n\n%s\nExit codes: %s\n",
            kOptions, std::string(app::kExitCodes).c_str());
        return std::optional<Arguments>();
    }
    if (parser.isSet(u"version"_s)) {
        std::printf("headscope %s\n", HEADSCOPE_VERSION);
        return std::optional<Arguments>();
    }
    const auto value = [&](const QString& name, const QString& otherwise = {}) {
        return parser.isSet(name) ? parser.value(name) : otherwise;
    };
    Arguments read{.models = parser.positionalArguments(),
                   .session = value(u"session"_s),
                   .device = value(u"device"_s),
                   .dtype = value(u"dtype"_s),
                   .data = value(u"data"_s),
                   .look = value(u"look"_s),
                   .picture = value(u"picture"_s),
                   .off = value(u"off"_s),
                   .acts = parser.values(u"act"_s)};
    // As a desktop opens a file: its name alone.
    if (read.models.size() == 1 && read.session.isEmpty() && read.models[0].endsWith(u".headscope"_s)
        && QFileInfo(read.models[0]).isFile())
        read.session = read.models.takeFirst();
    if (read.models.size() > 2)
        return inputError("The window shows two models beside each other at most; got "
                          + std::to_string(read.models.size()) + ".");
    if (parser.isSet(u"threads"_s)) {
        bool number = true;
        const QString threads = value(u"threads"_s);
        read.threads = threads.toInt(&number);
        if (!number || *read.threads < 0)
            return wrong(u"--threads"_s, threads, "a number of threads, 0 or more");
    }
    if (parser.isSet(u"look"_s) && !QStringList{u"system"_s, u"light"_s, u"dark"_s}.contains(read.look))
        return wrong(u"--look"_s, read.look, "system, light or dark");
    const QStringList acts = {u"continue"_s,
                              u"removal"_s,
                              u"flips"_s,
                              u"kinds"_s,
                              u"lecture"_s,
                              u"why"_s,
                              u"text"_s,
                              u"sample"_s,
                              u"tour"_s,
                              u"step"_s,
                              u"patching"_s,
                              u"edges"_s,
                              u"knockout"_s,
                              u"weights"_s,
                              u"probes"_s,
                              u"steering"_s,
                              u"log-probabilities"_s,
                              u"answer"_s,
                              u"text-scale"_s,
                              u"experiment"_s,
                              u"study"_s,
                              u"run-experiment"_s,
                              u"survey"_s,
                              u"run-survey"_s,
                              u"head-page"_s,
                              u"command"_s};
    for (const QString& act : read.acts)
        if (!acts.contains(act.section(u'=', 0, 0)))
            return wrong(
                u"--act"_s, act,
                "continue, removal, flips, kinds, lecture, why, patching, edges, knockout, weights, probes, steering, "
                "log-probabilities, text=FILE, "
                "sample=TASK N, tour=NAME, step=N, answer=N, text-scale=PERCENT, experiment=N, study=FILE, "
                "run-experiment, survey, run-survey, head-page=HEAD or command=NAME");
    const QString size = value(u"size"_s, u"1440x900"_s);
    const QStringList sides = size.split(u'x');
    read.size = QSize(sides.value(0).toInt(), sides.value(1).toInt());
    if (sides.size() != 2 || std::min(read.size.width(), read.size.height()) < 1
        || std::max(read.size.width(), read.size.height()) > kLargestSide)
        return wrong(u"--size"_s, size, "a width and a height in pixels such as 1440x900");
    if (read.picture.isEmpty() && (!read.off.isEmpty() || !read.acts.isEmpty() || parser.isSet(u"size"_s)))
        return inputError("--off, --act and --size say what a picture shows; expected --picture FILE.png with them.");
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
    qInstallMessageHandler(sayNoDisplay);
}

void displayIsThere()
{
    qInstallMessageHandler(nullptr);
}

} // namespace headscope::gui
