// SPDX-License-Identifier: GPL-3.0-or-later
// headscope: the window.

#include "app/window/mainwindow.h"
#include "app/window/settings/windowsettings.h"
#include "app/window/start/arguments.h"
#include "app/window/start/picture.h"
#include "app/window/start/quitsignals.h"
#include "app/window/start/translation.h"
#include "app/window/tours/openedexam.h"
#include "core/io/resources.h"
#include "core/lm/device/threads.h"
#include "widgets/look/appstyle.h"
#include "widgets/look/fade.h"

#include <QApplication>
#include <QDir>
#include <QHashFunctions>
#include <QScreen>
#include <QStandardPaths>

#include <cstdio>

using namespace headscope;

namespace {

int failed(const Error& error, int code)
{
    std::fprintf(stderr, "headscope: %s\n", error.message.c_str());
    return code;
}

// Nothing else of this person's is known in an exam, and nothing of it later.
gui::WindowSettings settingsOfExam(const gui::WindowSettings& ordinary)
{
    QApplication::setApplicationName(QStringLiteral("Exam"));
    gui::remember(gui::examSettings(ordinary));
    return gui::rememberedSettings();
}

// Nothing happens without a file.
Result<void> beginExam(const QString& file, const QString& folder, gui::WindowOptions& options)
{
    if (file.isEmpty())
        return {};
    auto exam =
        gui::openExam(file, QString::fromStdString(options.backend.resources.string()), folder, QLocale().name());
    if (!exam.has_value())
        return exam.error();
    options.session = exam->session;
    options.exam = std::make_shared<const gui::OpenedExam>(std::move(*exam));
    return {};
}

} // namespace

int main(int argc, char** argv)
{
    lm::reuseFreedMemory();
    QHashSeed::setDeterministicGlobalSeed(); // figures are the same bytes each time
    QStringList words;                       // taken before Qt: it keeps --session for the session management of X
    for (int i = 0; i < argc; ++i)
        words.append(QString::fromLocal8Bit(argv[i]));
    const auto read = gui::readArguments(words);
    if (!read.has_value())
        return failed(read.error(), 2);
    if (!*read)
        return 0;
    const gui::Arguments& arguments = **read;
    QApplication::setOrganizationName(QStringLiteral("Headscope"));
    QApplication::setApplicationName(QStringLiteral("Headscope"));
    QApplication::setApplicationVersion(QStringLiteral(HEADSCOPE_VERSION));
    const gui::WindowSettings remembered =
        arguments.exam.isEmpty() ? gui::rememberedSettings() : settingsOfExam(gui::rememberedSettings());
    const auto work = gui::settingsOf(arguments, remembered.work);
    if (!work.has_value())
        return failed(work.error(), 2);
    QGuiApplication::setDesktopFileName(QStringLiteral("headscope")); // by which a desktop knows icon and entry
    gui::expectDisplay(arguments);
    QApplication application(argc, argv);
    gui::displayIsThere();
    QApplication::setStyle(new widgets::AppStyle);

    QLocale::setDefault(gui::localeOf(remembered.language)); // of numbers, and of the tours
    gui::installTranslation(QLocale());
    gui::WindowOptions options;
    options.backend = {*work, io::resourcesFolder()};
    options.session = arguments.session;
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
    if (const auto begun = beginExam(arguments.exam, folder, options); !begun.has_value())
        return failed(begun.error(), 1);
    if (options.session.isEmpty()) {
        QDir().mkpath(folder);
        options.session = folder + QStringLiteral("/current.headscope");
    }
    // A session that was named is shown; the person's own only after a crash, else the welcome page offers it.
    options.restore =
        !options.exam
        && (!arguments.session.isEmpty() || (arguments.models.isEmpty() && !gui::MainWindow::closedNormally()));
    options.named = static_cast<int>(arguments.models.size());
    const gui::QuitSignals quitSignals;
    gui::MainWindow window(options);
    if (!arguments.models.isEmpty())
        window.openModels(arguments.models.at(0), arguments.models.value(1));
    if (!arguments.look.isEmpty())
        window.setLook(arguments.look);
    widgets::Fade::setMotion(remembered.motion && arguments.picture.isEmpty());
    if (!arguments.picture.isEmpty())
        gui::takePicture(
            window,
            {.file = arguments.picture, .ablation = arguments.off, .acts = arguments.acts, .size = arguments.size});
    else
        window.fitTo(window.screen()->availableSize());
    window.show();
    return QApplication::exec();
}
