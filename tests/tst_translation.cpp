// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped translation is complete, keeps its placeholders, and is what the window speaks.
#include "app/gui/translation.h"

#include <QCoreApplication>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

using namespace Qt::StringLiterals;

namespace {

struct Message {
    QString source;
    QStringList translations;
    bool finished = false;
};

QList<Message> messages()
{
    QFile file(QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/translations/headscope_de.ts"));
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

} // namespace

class TestTranslation : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void everyTextIsTranslated()
    {
        const auto all = messages();
        QVERIFY(all.size() > 300);
        QStringList missing;
        for (const Message& message : all)
            if (!message.finished || message.translations.isEmpty())
                missing << message.source;
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u" | "_s)));
    }

    void placeholdersAreKept()
    {
        for (const Message& message : messages()) {
            QCOMPARE(placeholders(message.translations.join(QString())), placeholders(message.source));
        }
    }

    void theWindowSpeaksGerman()
    {
        const auto say = [] { return QCoreApplication::translate("headscope::widgets::PromptBar", "Continue"); };
        QCOMPARE(say(), u"Continue"_s);
        headscope::gui::installTranslation(QLocale(u"de_AT"_s));
        QCOMPARE(say(), u"Fortsetzen"_s);
        QCOMPARE(QCoreApplication::translate("Presenters", "knowledge"), u"Wissen"_s);
    }
};

QTEST_GUILESS_MAIN(TestTranslation)
#include "tst_translation.moc"
