// SPDX-License-Identifier: GPL-3.0-or-later
// The manual as it ships: the same pages in both languages, links that lead somewhere, a search that finds.
#include "app/window/manual/manualwindow.h"

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QTest>
#include <QTextBrowser>

using namespace headscope;
using namespace Qt::StringLiterals;

namespace {

const QString kFolder = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/manual");

QStringList names(const QList<gui::ManualPage>& pages)
{
    QStringList out;
    for (const gui::ManualPage& page : pages)
        out << QFileInfo(page.path).fileName();
    return out;
}

int shown(const gui::ManualWindow& manual)
{
    int count = 0;
    for (int row = 0; row < manual.list()->count(); ++row)
        count += manual.list()->item(row)->isHidden() ? 0 : 1;
    return count;
}

} // namespace

class TestManual : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hasTheSamePagesInBothLanguages()
    {
        const auto english = gui::manualPages(kFolder, u"en_US"_s), german = gui::manualPages(kFolder, u"de_DE"_s);
        QVERIFY(english.size() >= 10);
        QCOMPARE(names(german), names(english));
        for (qsizetype i = 0; i < english.size(); ++i) {
            QVERIFY2(english.at(i).text.startsWith(u"# "), qPrintable(english.at(i).path));
            QVERIFY2(german.at(i).title != english.at(i).title, qPrintable(german.at(i).path));
        }
        QCOMPARE(names(gui::manualPages(kFolder, u"fi_FI"_s)), names(english)); // no Finnish one: English
    }

    void everyLinkLeadsSomewhere()
    {
        static const QRegularExpression link(u"\\]\\(([^)]+)\\)"_s);
        int links = 0;
        for (const QString& language : {u"en"_s, u"de"_s})
            for (const gui::ManualPage& page : gui::manualPages(kFolder, language))
                for (const auto& match : link.globalMatch(page.text)) {
                    const QString target = match.captured(1);
                    QVERIFY2(QFileInfo(page.path).dir().exists(target), qPrintable(page.path + u": "_s + target));
                    ++links;
                }
        QVERIFY(links >= 4);
    }

    void everyPageHasAPictureThatItShows()
    {
        static const QRegularExpression picture(u"!\\[[^\\]]+\\]\\(([^)]+)\\)"_s);
        gui::ManualWindow manual(gui::manualPages(kFolder, u"en"_s), nullptr);
        for (const QString& language : {u"en"_s, u"de"_s}) {
            QHash<QString, int> pages; // that begin with a picture: it is of what the page is about
            for (const gui::ManualPage& page : gui::manualPages(kFolder, language)) {
                const auto found = picture.match(page.text);
                QVERIFY2(found.hasMatch() && ++pages[found.captured(1)] <= 3, qPrintable(page.path));
                manual.text()->setSource(QUrl::fromLocalFile(page.path), QTextDocument::MarkdownResource);
                const QVariant shown =
                    manual.text()->loadResource(QTextDocument::ImageResource, QUrl(found.captured(1)));
                const QImage image = QImage::fromData(shown.toByteArray());
                QVERIFY2(image.width() > 200 && image.width() <= 720, qPrintable(page.path)); // fits the window
            }
        }
        qint64 bytes = 0;
        for (const QFileInfo& image : QDir(kFolder + u"/images"_s).entryInfoList(QDir::Files))
            bytes += image.size();
        QVERIFY2(bytes < 110'000, qPrintable(QString::number(bytes))); // both languages share them
    }

    void findsAndFollows()
    {
        gui::ManualWindow manual(gui::manualPages(kFolder, u"en"_s), nullptr);
        manual.show();
        const int all = manual.list()->count();
        QVERIFY(manual.text()->toPlainText().startsWith(u"First minutes"_s));
        auto* search = manual.findChild<QLineEdit*>();
        QTest::keyClicks(search, u"mcnemar"_s);
        QVERIFY(shown(manual) >= 1 && shown(manual) < all);
        QCOMPARE(manual.text()->textCursor().selectedText().toLower(), u"mcnemar"_s);
        search->setText(u"no such word anywhere"_s);
        QCOMPARE(shown(manual), 0);
        search->clear();
        QCOMPARE(shown(manual), all);
        manual.showPage(u"sessions"_s);
        const QString sessions = manual.list()->currentItem()->text();
        QVERIFY2(manual.text()->toPlainText().startsWith(sessions),
                 qPrintable(sessions + u" | "_s + manual.text()->toPlainText().left(60)));
        // A link on a page is followed by the list.
        manual.showPage({});
        manual.text()->setSource(manual.text()->source().resolved(QUrl(u"07-sessions.md"_s)));
        QCOMPARE(manual.list()->currentItem()->text(), sessions);
    }
};

QTEST_MAIN(TestManual)
#include "tst_manual.moc"
