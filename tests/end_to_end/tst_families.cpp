// SPDX-License-Identifier: GPL-3.0-or-later
// Every family as its folders are on the hub, with a tokenizer beside the weights and the config as Python writes it:
// opened, tokenized, scored, looked at, continued.
#include "tests/support/clifixture.h"
#include "tests/support/smallcheckpoint.h"

using namespace clifixture;

class TestFamilies : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void textGoesThrough_data();
    void textGoesThrough();
};

void TestFamilies::textGoesThrough_data()
{
    QTest::addColumn<QString>("head");
    const QDir goldens(QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/golden"));
    for (const QString& where : {u""_s, u"stretch/"_s, u"hub/"_s})
        for (const QString& family : QDir(goldens.filePath(where)).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            if (family != u"qwen3_fp8"_s && family != u"gpt_oss_mxfp4"_s // their packed weights can not be grown
                && QFile::exists(goldens.filePath(where + family + u"/config.json"_s)))
                QTest::newRow(qPrintable(where + family))
                    << (family.startsWith(u"nemotron_h"_s) ? u"L0H0"_s : u"L1H0"_s); // its layer 1 is an MLP alone
}

void TestFamilies::textGoesThrough()
{
    QFETCH(const QString, head);
    const Folder folder;
    const std::string family = QTest::currentDataTag();
    const QString model = QString::fromStdString(smallcheckpoint::make(folder.path().toStdString(), family));
    QVERIFY(!model.isEmpty());
    const QString text = u"The key of the red fox is 12. The key is"_s;
    VERIFY_DONE(run({u"info"_s, model, u"--json"_s}));
    VERIFY_DONE(run({u"tokenize"_s, model, u"--text"_s, text}));
    const Outcome scores = run({u"score"_s, model, u"--task"_s, u"toy_mc"_s, u"--limit"_s, u"2"_s, u"--ablate"_s, head,
                                u"--json"_s, u"--quiet"_s});
    QVERIFY2(scores.code == 0, scores.err.constData());
    QCOMPARE(scores.json()[u"results"_s].toArray().at(0)[u"n"_s].toInt(), 2);
    const QString picture = folder.path(u"map.csv"_s);
    VERIFY_DONE(run({u"pattern"_s, model, u"--text"_s, text, u"--head"_s, head, u"-o"_s, picture, u"--quiet"_s}));
    QVERIFY(read(picture).count('\n') > 10);
    VERIFY_DONE(run({u"generate"_s, model, u"--text"_s, text, u"--tokens"_s, u"3"_s, u"--quiet"_s}));
}

QTEST_GUILESS_MAIN(TestFamilies)
#include "tst_families.moc"
