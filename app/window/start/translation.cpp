// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start/translation.h"

#include "core/experiments/words/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QTranslator>

#include <clocale>
#include <optional>

// Resources of a static library are only there once they are asked for, outside any namespace.
static void openResources()
{
    Q_INIT_RESOURCE(headscope_translations);
}

namespace headscope::gui {

void installTranslation(const QLocale& locale)
{
    std::setlocale(LC_NUMERIC, "C"); // Qt took the desktop's, in which C writes 1,5 and reads "1.5" as 1
    openResources();
    const auto install = [&](const QString& name, const QString& folder) {
        auto* translator = new QTranslator(QCoreApplication::instance());
        if (translator->load(locale, name, QStringLiteral("_"), folder))
            QCoreApplication::installTranslator(translator);
        else
            delete translator;
    };
    install(QStringLiteral("qtbase"),
            QLibraryInfo::path(QLibraryInfo::TranslationsPath)); // the words of Qt's own dialogs
    install(QStringLiteral("headscope"), QStringLiteral(":/translations"));
    static std::optional<experiments::Speaking> speaking; // of the thread that shows them
    speaking.emplace(locale.name().section(QLatin1Char('_'), 0, 0).toStdString());
}

} // namespace headscope::gui
