// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings/windowsettings.h"

#include <QCoreApplication>
#include <QSettings>
#include <QStringList>

#include <algorithm>

namespace headscope::gui {

namespace {

struct SettingsText {
    Q_DECLARE_TR_FUNCTIONS(SettingsText)
};

constexpr auto kDevice = "models/device";
constexpr auto kDtype = "models/dtype";
constexpr auto kThreads = "models/threads";
constexpr auto kMemory = "models/memory";
constexpr auto kKeptPacked = "models/keptPacked";
constexpr auto kStartToken = "models/startToken";
constexpr auto kOrder = "measuring/order";
constexpr auto kSeed = "measuring/seed";
constexpr auto kBoundary = "measuring/boundary";
constexpr auto kExamples = "measuring/examples";
constexpr auto kStopWidth = "measuring/stopWidth";
constexpr auto kStopLevel = "measuring/stopLevel";
constexpr auto kWritePatience = "measuring/patience";
constexpr auto kData = "data/folder";
constexpr auto kWords = "data/words";
constexpr auto kLookSetting = "look";
constexpr auto kTextScale = "textScale";
constexpr auto kMotion = "motion";
constexpr auto kClickLooks = "clickLooks";
constexpr auto kLanguage = "language";

/// `set` puts one value into settings; what then could open no model is not taken.
template <typename Set> void take(app::Settings& settings, const Set& set)
{
    app::Settings changed = settings;
    set(changed);
    if (app::check(changed).has_value())
        settings = changed;
}

QString read(const char* key)
{
    return QSettings().value(QLatin1String(key)).toString();
}

app::Settings rememberedWork()
{
    app::Settings work;
    if (const QString device = read(kDevice); !device.isEmpty())
        take(work, [&](app::Settings& to) { to.device = device.toStdString(); });
    if (const QString dtype = read(kDtype); !dtype.isEmpty())
        take(work, [&](app::Settings& to) { to.dtype = dtype.toStdString(); });
    take(work, [](app::Settings& to) { to.threads = read(kThreads).toInt(); });
    take(work, [](app::Settings& to) { to.memory = read(kMemory).toLongLong(); });
    if (const QString kept = read(kKeptPacked); !kept.isEmpty())
        take(work, [&](app::Settings& to) { to.keptPacked = kept.toLongLong(); });
    if (const auto token = app::parseStartToken(read(kStartToken).toStdString()); token.has_value())
        work.startToken = *token;
    work.boundary = engine::boundaryNamed(read(kBoundary).toStdString());
    work.examples = std::max(0, read(kExamples).toInt());
    const QSettings stored;
    work.stopWidth = std::clamp(stored.value(QLatin1String(kStopWidth), 0.0).toDouble(), 0.0, 2.0);
    work.stopLevel = std::clamp(stored.value(QLatin1String(kStopLevel), 0.95).toDouble(), 0.5, 0.999999);
    work.orderSeed = read(kOrder).toULongLong();
    work.seed = read(kSeed).toULongLong();
    work.dataFolder = read(kData).toStdString();
    work.wordsFolder = read(kWords).toStdString();
    return work;
}

} // namespace

WindowSettings rememberedSettings()
{
    const QSettings stored;
    return {.work = rememberedWork(),
            .patience = std::clamp(stored.value(QLatin1String(kWritePatience), WindowSettings::kPatience).toInt(), 1,
                                   WindowSettings::kLongestPatience),
            .look = static_cast<Appearance::Look>(std::clamp(stored.value(QLatin1String(kLookSetting)).toInt(), 0, 2)),
            .textScale = std::clamp(stored.value(QLatin1String(kTextScale), 1.0).toDouble(), Appearance::kSmallest,
                                    Appearance::kLargest),
            .motion = stored.value(QLatin1String(kMotion), true).toBool(),
            .clickLooks = stored.value(QLatin1String(kClickLooks)).toBool(),
            .language = read(kLanguage)};
}

void remember(const WindowSettings& settings)
{
    QSettings stored;
    const app::Settings& work = settings.work;
    const auto write = [&](const char* key, const QVariant& value) { stored.setValue(QLatin1String(key), value); };
    write(kDevice, QString::fromStdString(work.device));
    write(kDtype, QString::fromStdString(work.dtype));
    write(kThreads, work.threads);
    write(kMemory, qint64{work.memory});
    write(kKeptPacked, qint64{work.keptPacked});
    write(kStartToken, QLatin1String(app::name(work.startToken)));
    write(kBoundary, QLatin1String(engine::name(work.boundary)));
    write(kOrder, quint64{work.orderSeed});
    write(kSeed, quint64{work.seed});
    write(kWritePatience, settings.patience);
    write(kExamples, settings.work.examples);
    write(kStopWidth, work.stopWidth);
    write(kStopLevel, work.stopLevel);
    write(kData, QString::fromStdString(work.dataFolder.string()));
    write(kWords, QString::fromStdString(work.wordsFolder.string()));
    write(kLookSetting, static_cast<int>(settings.look));
    write(kTextScale, settings.textScale);
    write(kMotion, settings.motion);
    write(kClickLooks, settings.clickLooks);
    write(kLanguage, settings.language);
}

WindowSettings examSettings(const WindowSettings& settings)
{
    WindowSettings kept{.look = settings.look,
                        .textScale = settings.textScale,
                        .motion = settings.motion,
                        .clickLooks = settings.clickLooks,
                        .language = settings.language};
    kept.work.device = settings.work.device;
    kept.work.threads = settings.work.threads;
    kept.work.memory = settings.work.memory;
    kept.work.dataFolder = settings.work.dataFolder;
    kept.work.wordsFolder = settings.work.wordsFolder;
    return kept;
}

QLocale localeOf(const QString& language)
{
    const QLocale wanted = language.isEmpty() ? QLocale::system() : QLocale(language);
    const auto pointed = [](const QLocale& locale) { return locale.decimalPoint() == QLatin1String("."); };
    if (pointed(wanted))
        return wanted;
    const auto same = QLocale::matchingLocales(wanted.language(), QLocale::AnyScript, QLocale::AnyCountry);
    const auto found = std::find_if(same.begin(), same.end(), pointed);
    QLocale chosen = found != same.end() ? *found : QLocale(QLocale::English);
    chosen.setNumberOptions(QLocale::OmitGroupSeparator);
    return chosen;
}

QString consequence(const WindowSettings& before, const WindowSettings& after)
{
    QStringList sentences;
    app::Settings scored = after.work;
    scored.keptPacked = before.work.keptPacked; // changes no number
    if (app::reopensModels(before.work, after.work))
        sentences << SettingsText::tr("The open models are reopened; ablations are kept.");
    else if (before.work != scored)
        sentences << SettingsText::tr("The open models will be scored again.");
    if (before.language != after.language)
        sentences << SettingsText::tr("The language changes at the next start.");
    return sentences.join(u' ');
}

} // namespace headscope::gui
