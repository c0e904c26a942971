// SPDX-License-Identifier: GPL-3.0-or-later
// headscope: the window.

#include "app/gui/mainwindow.h"
#include "app/gui/picture.h"
#include "app/gui/translation.h"
#include "core/io/resources.h"
#include "core/lm/threads.h"
#include "widgets/appstyle.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QHashFunctions>
#include <QStandardPaths>

using namespace headscope;

int main(int argc, char** argv)
{
    lm::reuseFreedMemory();
    QHashSeed::setDeterministicGlobalSeed(); // figures are the same bytes each time
    QStringList arguments; // taken before Qt: it keeps --session for the session management of X
    for (int i = 0; i < argc; ++i)
        arguments.append(QString::fromLocal8Bit(argv[i]));
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("Headscope"));
    QApplication::setApplicationName(QStringLiteral("Headscope"));
    QApplication::setApplicationVersion(QStringLiteral(HEADSCOPE_VERSION));
    QApplication::setStyle(new widgets::AppStyle);

    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("See every head's pattern, switch heads off, score again."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("MODEL"), QStringLiteral("model to open as A: folder, shipped name or org/name"), QStringLiteral("[MODEL [MODEL_B]]"));
    const QCommandLineOption session(QStringLiteral("session"), QStringLiteral("session file to create or continue"), QStringLiteral("file"));
    const QCommandLineOption device(QStringLiteral("device"), QStringLiteral("auto, cpu, cuda or cuda:i"), QStringLiteral("device"), QStringLiteral("auto"));
    const QCommandLineOption dtype(QStringLiteral("dtype"), QStringLiteral("auto, fp32, bf16 or fp16"), QStringLiteral("dtype"), QStringLiteral("auto"));
    const QCommandLineOption threads(QStringLiteral("threads"), QStringLiteral("processor threads; 0: one per core"), QStringLiteral("n"), QStringLiteral("0"));
    const QCommandLineOption data(QStringLiteral("data"), QStringLiteral("folder with benchmark files"), QStringLiteral("folder"));
    const QCommandLineOption picture(QStringLiteral("picture"), QStringLiteral("write a picture of the window when every number is in, and quit"), QStringLiteral("file.png"));
    const QCommandLineOption off(QStringLiteral("off"), QStringLiteral("with --picture: what is switched off in A, such as L2H5"), QStringLiteral("heads"));
    const QCommandLineOption look(QStringLiteral("look"), QStringLiteral("system, light or dark; not remembered"), QStringLiteral("look"));
    const QCommandLineOption act(QStringLiteral("act"),
                                 QStringLiteral("with --picture: what is done before the picture: continue, removal, flips, kinds, text=FILE, tour=NAME (several times)"), QStringLiteral("what"));
    const QCommandLineOption size(QStringLiteral("size"), QStringLiteral("with --picture: size of the window"), QStringLiteral("WxH"), QStringLiteral("1440x900"));
    parser.addOptions({session, device, dtype, threads, data, picture, off, look, act, size});
    parser.process(arguments);

    gui::installTranslation(QLocale());
    gui::WindowOptions options;
    options.backend.resources = io::resourcesFolder();
    options.backend.device = parser.value(device).toStdString();
    options.backend.dtype = parser.value(dtype).toStdString();
    options.backend.threads = parser.value(threads).toInt();
    options.backend.dataFolder = parser.value(data).toStdString();
    options.session = parser.value(session);
    if (options.session.isEmpty()) {
        const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
        QDir().mkpath(folder);
        options.session = folder + QStringLiteral("/current.headscope");
    }
    const QStringList models = parser.positionalArguments();
    // A session that was named is shown; the person's own only after a crash, else the welcome page offers it.
    options.restore = parser.isSet(session) || (models.isEmpty() && !gui::MainWindow::closedWell());
    gui::MainWindow window(options);
    if (!models.isEmpty())
        window.openModels(models.at(0), models.value(1));
    if (parser.isSet(look))
        window.setLook(parser.value(look));
    if (parser.isSet(picture)) {
        const QStringList sides = parser.value(size).split(QLatin1Char('x'));
        gui::takePicture(window, {.file = parser.value(picture), .ablation = parser.value(off), .acts = parser.values(act),
                                  .size = QSize(sides.value(0).toInt(), sides.value(1).toInt())});
    }
    window.show();
    return QApplication::exec();
}
