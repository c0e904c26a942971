// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped translation is complete, keeps its placeholders, and is what the window speaks.
#include "app/figures/documents/sessionfigure.h"
#include "app/figures/figurerecipe.h"
#include "app/figures/statewords.h"
#include "app/present/prompt/patternpresenters.h"
#include "app/present/scores/runtable.h"
#include "app/present/scores/tasknames.h"
#include "app/window/start/translation.h"
#include "core/tasks/registry.h"
#include "tests/support/sessionfixture.h"
#include "widgets/pattern/matrixwords.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <clocale>
#include <cstdlib>

using namespace Qt::StringLiterals;
using headscope::analysis::MatrixKind;
using headscope::analysis::MatrixShown;

namespace {

struct Message {
    QString source;
    QStringList translations;
    bool finished = false;
};

const QString kShipped = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/translations/headscope_de.ts");

QList<Message> messages(const QString& path = kShipped)
{
    QFile file(path);
    QList<Message> all;
    if (!file.open(QIODevice::ReadOnly))
        return all;
    QXmlStreamReader xml(&file);
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == "message"_L1)
            all.append(Message());
        else if (xml.name() == "source"_L1)
            all.last().source = xml.readElementText();
        else if (xml.name() == "translation"_L1) {
            all.last().finished = !xml.attributes().hasAttribute("type"_L1);
            const QString text = xml.readElementText(QXmlStreamReader::IncludeChildElements).trimmed();
            all.last().translations = text.split(u'\n', Qt::SkipEmptyParts);
        }
    }
    return all;
}

QStringList placeholders(const QString& text)
{
    QStringList found;
    static const QRegularExpression pattern(u"%(L?\\d|n)"_s);
    for (auto at = pattern.globalMatch(text); at.hasNext();)
        found << at.next().captured();
    found.sort();
    return found;
}

QString meaningOf(const headscope::analysis::MatrixConvention& convention)
{
    const headscope::app::PatternReply reply{.convention = convention};
    return headscope::gui::patternData(std::make_shared<const headscope::app::PatternReply>(reply), {}, u"A"_s, {})
        .meaning;
}

} // namespace

class TestTranslation : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyTextOfTheSourcesIsTranslated()
    {
        const QTemporaryDir folder;
        QVERIFY(folder.isValid());
        const QString now = folder.filePath(u"now.ts"_s);
        QVERIFY(QFile::copy(kShipped, now));
        QProcess lupdate;
        lupdate.setWorkingDirectory(QStringLiteral(HEADSCOPE_SOURCE_DIR));
        lupdate.start(QStringLiteral(HEADSCOPE_LUPDATE),
                      {u"app"_s, u"widgets"_s, u"-I"_s, u"."_s, u"-locations"_s, u"none"_s, u"-no-obsolete"_s,
                       u"-disable-heuristic"_s, u"sametext"_s, u"-disable-heuristic"_s, u"similartext"_s, u"-ts"_s,
                       now});
        QVERIFY2(lupdate.waitForFinished() && lupdate.exitCode() == 0, lupdate.readAllStandardError().constData());
        const auto all = messages(now);
        QVERIFY(all.size() > 500);
        QStringList missing;
        for (const Message& message : all)
            if (!message.finished || message.translations.isEmpty())
                missing << message.source;
        QVERIFY2(missing.isEmpty(), qPrintable(u"No German for: "_s + missing.join(u" | "_s)));
    }

    void placeholdersAreKept()
    {
        for (const Message& message : messages()) {
            for (const QString& translation : message.translations) // of a count each form
                QCOMPARE(placeholders(translation), placeholders(message.source));
        }
    }

    void theWindowSpeaksGerman()
    {
        const auto say = [] { return QCoreApplication::translate("headscope::widgets::PromptBar", "Continue"); };
        QCOMPARE(say(), u"Continue"_s);
        std::setlocale(LC_NUMERIC, "de_DE.UTF-8"); // where the machine has it
        headscope::gui::installTranslation(QLocale(u"de_AT"_s));
        QCOMPARE(std::strtod("1.5", nullptr), 1.5); // as files have numbers in every language
        QCOMPARE(say(), u"Fortsetzen"_s);
        QCOMPARE(QCoreApplication::translate("TaskNames", "knowledge"), u"Wissen"_s);
        QCOMPARE(QCoreApplication::translate("QPlatformTheme", "Close"), u"Schließen"_s); // Qt's own buttons
        QCOMPARE(meaningOf({}), u"Softmax-Attention (Zeilensumme 1)"_s);
        QCOMPARE(meaningOf({.kind = MatrixKind::HiddenChannel, .withD = false, .shown = MatrixShown::MinusBaseline}),
                 u"verborgene Attention eines Kanals, ohne D (mit Vorzeichen, Zeilensumme nicht 1), "
                 "jetzt minus Ausgangswert"_s);
    }

    void figuresAndBenchmarksSpeakIt()
    {
        using headscope::interventions::InterventionSet;
        for (const auto& [set, words] : {std::pair("L2H5", u"ohne L2H5"_s), std::pair("", u"alle Köpfe an"_s),
                                         std::pair("skip:L2", u"Schicht 2 ausgelassen"_s)}) {
            const auto parsed = InterventionSet::parse(set);
            QVERIFY2(parsed.has_value(), set);
            QCOMPARE(headscope::figures::stateWords(*parsed), words);
        }
        QCOMPARE(headscope::widgets::matrixWords({.kind = headscope::analysis::MatrixKind::Hidden}),
                 u"verborgene Attention, mit D (mit Vorzeichen, Zeilensumme nicht 1)"_s);
        for (const auto& task : headscope::tasks::listTasks()) {
            const QString name = QString::fromStdString(task.name);
            static const QRegularExpression part(u"^(mmlu|bbh|swde|arc_challenge_chat)_"_s); // of one that is told of
            if (!name.contains(part))
                QVERIFY2(headscope::gui::taskDescription(task.title) != QString::fromStdString(task.title),
                         qPrintable(name));
        }
    }

    // Of the command line and of windows in English; what a person called a run stays.
    void runsNamedInEnglishAreShownInIt()
    {
        std::vector<headscope::gui::ListedRun> runs;
        for (const auto& [name, ablation] : {std::pair("baseline", ""), std::pair("L1H2, L2H5 ablated", "L1H2 L2H5"),
                                             std::pair("L1H2 ablated", "L2H5"), std::pair("baseline", "L2H5")})
            runs.push_back({.id = qint64(runs.size()),
                            .record = {.name = name, .created = "2026-01-01T00:00:00Z", .ablation = ablation},
                            .scores = {},
                            .modelName = {}});
        QStringList names;
        for (const auto& row : headscope::gui::runRows(runs, headscope::gui::WindowState()))
            names << row.name;
        const QStringList shown = {u"Ausgangswert"_s, u"L1H2, L2H5 ausgeschaltet"_s, u"L1H2 ablated"_s, u"baseline"_s};
        QCOMPARE(names, shown);
    }

    // The line below a figure has no English in it but names: of models, tasks, types and devices.
    void theLineOfOriginSpeaksGerman()
    {
        const QTemporaryDir folder;
        auto session = headscope::sessions::SessionStore::open(folder.filePath(u"a.headscope"_s).toStdString());
        VERIFY_OK(session);
        QCOMPARE(headscope::testing::fill(*session), std::string());
        headscope::sessions::RankingRecord ranking;
        ranking.modelHash = headscope::testing::exampleModel().hash;
        ranking.dtype = "fp32";
        ranking.device = "cpu";
        ranking.task = "toy_kv:pairs=8";
        ranking.n = 20;
        for (const char* method : {"exact", "gather"}) {
            ranking.method = method;
            ranking.heads = {{"L2H5", 0.03, -0.95, -0.97, -0.92}, {"L0H1", 0.5, -0.5, -0.6, -0.4}};
            QVERIFY(session->addRanking(ranking).has_value());
        }
        QString all;
        for (const char* name : {"head-map", "ranking", "scores"}) {
            const auto recipe = headscope::figures::findRecipe(*session, name);
            VERIFY_OK(recipe);
            const auto figure = headscope::figures::makeFigure(*session, *recipe);
            VERIFY_OK(figure);
            all += figure->provenance + u'\n';
        }
        for (const QString& english : {u" on "_s, u"anking "_s, u"nothing"_s, u"ablated"_s, u"heads"_s, u" of "_s})
            QVERIFY2(!all.contains(english), qPrintable(english + u" in\n"_s + all));
        QVERIFY2(all.contains(u"exakte Ablationsrangliste auf toy_kv:pairs=8, n = 20"_s), qPrintable(all));
        QVERIFY2(all.contains(u"fp32 auf cpu"_s), qPrintable(all));
    }
};

QTEST_GUILESS_MAIN(TestTranslation)
#include "tst_translation.moc"
