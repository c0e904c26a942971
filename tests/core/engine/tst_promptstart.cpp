// SPDX-License-Identifier: GPL-3.0-or-later
// How prompts of generated tasks start: by each model's own rule, and for our own models as ever.
#include "core/base/hash.h"
#include "core/engine/scoring/pairs/encode.h"
#include "core/tasks/ownmodels.h"
#include "core/tasks/registry.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

#include <map>

using namespace headscope;

namespace {

constexpr int kRows = 8;
const QString kData = QStringLiteral(HEADSCOPE_SOURCE_DIR "/tests/data/");
const QString kShipped = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/");

/// Every task of the registry that needs no file, and other settings of those that have one.
QStringList generatedTasks()
{
    QStringList names{QStringLiteral("toy_kv:pairs=3"), QStringLiteral("word_kv_plain:pairs=2"),
                      QStringLiteral("word_kv_short"), QStringLiteral("kv_retrieval:pairs=2")};
    for (const tasks::TaskInfo& info : tasks::listTasks())
        if (info.source.empty() && info.official == 0 && QString::fromStdString(info.files).startsWith(u"none"))
            names.append(QString::fromStdString(info.name));
    return names;
}

QStringList foldersIn(const QString& place)
{
    QStringList folders;
    for (const QString& name : QDir(place).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
        if (QFile::exists(place + name + QStringLiteral("/tokenizer.json")))
            folders.append(place + name);
    return folders;
}

std::shared_ptr<const text::Tokenizer> tokenizerOf(const QString& folder)
{
    auto tokenizer = text::Tokenizer::load(folder.toStdString());
    return tokenizer.has_value() ? *tokenizer : nullptr;
}

tasks::TaskOptions fewRows()
{
    tasks::TaskOptions options;
    options.limit = kRows;
    return options;
}

bool isGenerated(const tasks::TaskSet& set)
{
    return set.leaves.front().pairing == tasks::PairEncoding::ModelStart;
}

std::string idsText(const std::vector<int>& ids)
{
    std::string text;
    for (const int id : ids)
        text += std::to_string(id) + " ";
    return text;
}

// The first rows as ids; what cannot be read says so in its place.
std::string rowsHash(const QString& task, const text::Tokenizer& tokenizer)
{
    const auto set = tasks::makeTask(task.toStdString(), fewRows(), tokenizer);
    std::string all;
    for (const tasks::Example& example : set->examples) {
        const auto encoded =
            engine::encode(example, set->leaves.front().pairing, tokenizer, engine::BosPolicy::Never, 1 << 20);
        for (const engine::Sequence& sequence : encoded.sequences) {
            all += idsText(sequence.ids) + "> ";
            for (const engine::Sequence::Target& target : sequence.targets)
                all += std::to_string(target.token) + " ";
        }
        all += encoded.rejected.empty() ? "\n" : "rejected\n";
    }
    return sha256Hex(all);
}

} // namespace

class TestPromptStart : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theRegistryHasGeneratedTasks()
    {
        QVERIFY(generatedTasks().size() >= 13);
        QVERIFY(foldersIn(kData + QStringLiteral("tokenizers/")).size() >= 10);
    }

    void noTextHoldsASpecialToken_data()
    {
        QTest::addColumn<QString>("task");
        for (const QString& task : generatedTasks())
            QTest::newRow(qPrintable(task)) << task;
    }
    // Neither without a model nor with one whose tokenizer is not ours.
    void noTextHoldsASpecialToken()
    {
        QFETCH(QString, task);
        static const QRegularExpression special(
            QStringLiteral(R"(<\|?/?[A-Za-z_▁｜]+\|?>|\[[A-Z]{2,}\]|<[a-z0-9_]+>)"));
        const auto bare = tasks::makeTask(task.toStdString(), fewRows());
        QVERIFY2(bare.has_value(), bare.has_value() ? "" : bare.error().message.c_str());
        QStringList folders = foldersIn(kData + QStringLiteral("tokenizers/"));
        folders.append(foldersIn(kData + QStringLiteral("golden/")));
        for (const QString& folder : folders) {
            const auto tokenizer = tokenizerOf(folder);
            QVERIFY2(tokenizer, qPrintable(folder));
            QCOMPARE(tasks::ownModelOf(*tokenizer), tasks::OwnModel::None);
            const auto set = tasks::makeTask(task.toStdString(), fewRows(), *tokenizer);
            QCOMPARE(set->leaves.front().version, bare->leaves.front().version);
            for (std::size_t i = 0; i < set->examples.size(); ++i) {
                const tasks::Example& example = set->examples[i];
                QCOMPARE(tasks::contentHash(example), tasks::contentHash(bare->examples[i]));
                QStringList texts{QString::fromStdString(example.context), QString::fromStdString(example.target)};
                for (const auto* more : {&example.contexts, &example.continuations, &example.until})
                    for (const std::string& text : *more)
                        texts.append(QString::fromStdString(text));
                for (const QString& text : texts)
                    QVERIFY2(!special.match(text).hasMatch(), qPrintable(text));
            }
        }
    }

    void othersBeginAsTheirTokenizerDoes_data()
    {
        QTest::addColumn<QString>("folder");
        for (const char* place : {"tokenizers/", "golden/"})
            for (const QString& folder : foldersIn(kData + QLatin1String(place)))
                QTest::newRow(qPrintable(folder.mid(kData.size()))) << folder;
    }
    void othersBeginAsTheirTokenizerDoes()
    {
        QFETCH(QString, folder);
        const auto tokenizer = tokenizerOf(folder);
        const std::vector<int> start = tokenizer->startIds();
        int asked = 0, answered = 0;
        for (const QString& task : generatedTasks()) {
            const auto set = tasks::makeTask(task.toStdString(), fewRows(), *tokenizer);
            if (!isGenerated(*set))
                continue;
            for (const tasks::Example& example : set->examples) {
                const auto plain = tokenizer->encode(example.context, false);
                if (!plain.has_value())
                    continue; // words that are not in the vocabulary
                for (const auto bos : {engine::BosPolicy::Never, engine::BosPolicy::TokenizerDefault}) {
                    const auto read =
                        engine::encodeText(example.context, tasks::PairEncoding::ModelStart, *tokenizer, bos);
                    std::vector<int> expected = start;
                    expected.insert(expected.end(), plain->ids.begin(), plain->ids.end());
                    QCOMPARE(read->ids, expected);
                    const auto whole = tokenizer->encode(example.context, true); // and what stands behind a text
                    QVERIFY(whole->ids.size() >= expected.size()
                            && std::equal(expected.begin(), expected.end(), whole->ids.begin()));
                    QCOMPARE(read->offsets.size(), expected.size());
                    QCOMPARE(read->tokens.size(), expected.size());
                    const auto encoded =
                        engine::encode(example, tasks::PairEncoding::ModelStart, *tokenizer, bos, 4096);
                    ++asked;
                    if (!encoded.rejected.empty())
                        continue; // an answer that this vocabulary joins with the prompt's last letters
                    ++answered;
                    const std::vector<int>& ids = encoded.sequences.front().ids;
                    QVERIFY(ids.size() >= start.size() && std::equal(start.begin(), start.end(), ids.begin()));
                }
                const auto always = engine::encodeText(example.context, tasks::PairEncoding::ModelStart, *tokenizer,
                                                       engine::BosPolicy::Always);
                if (const auto bos = tokenizer->bosId()) {
                    QCOMPARE(always->ids.front(), *bos);
                    QVERIFY(always->ids.size() < 2 || start.size() > 1 || always->ids[1] != *bos);
                }
            }
        }
        QVERIFY2(2 * answered >= asked, qPrintable(QStringLiteral("%1 of %2").arg(answered).arg(asked)));
    }

    void ourOwnReadWhatTheyReadBefore_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("task");
        QTest::addColumn<QString>("rows");
        // SHA-256 of the first 8 rows' ids, by revision 6586eb05.
        QFile file(kData + QStringLiteral("promptstart.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const QByteArray& line : file.readAll().split('\n')) {
            const QList<QByteArray> words = line.split(' ');
            if (words.size() == 3)
                QTest::newRow((words[0] + " " + words[1]).constData())
                    << QString::fromUtf8(words[0]) << QString::fromUtf8(words[1]) << QString::fromUtf8(words[2]);
        }
    }
    void ourOwnReadWhatTheyReadBefore()
    {
        QFETCH(QString, model);
        QFETCH(QString, task);
        QFETCH(QString, rows);
        const auto tokenizer = tokenizerOf(kShipped + model);
        QVERIFY(tokenizer);
        QCOMPARE(QString::fromStdString(rowsHash(task, *tokenizer)), rows);
    }

    void everyTaskIsHeldToItsRows()
    {
        QFile file(kData + QStringLiteral("promptstart.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        for (const QString& folder : foldersIn(kShipped))
            for (const QString& task : generatedTasks())
                QVERIFY2(text.contains(folder.mid(kShipped.size()) + u' ' + task + u' '), qPrintable(folder + task));
    }

    void ourOwnKeepTheirStoredRows()
    {
        for (const QString& folder : foldersIn(kShipped)) {
            const auto tokenizer = tokenizerOf(folder);
            QCOMPARE(tasks::ownModelOf(*tokenizer),
                     folder.contains(u"tiny") ? tasks::OwnModel::Tiny : tasks::OwnModel::English);
            QVERIFY(tokenizer->startIds().empty());
            QCOMPARE(tasks::startOf(*tokenizer), (std::vector<int>{0}));
            for (const QString& task : generatedTasks()) {
                auto set = *tasks::makeTask(task.toStdString(), fewRows(), *tokenizer);
                if (!isGenerated(set))
                    continue;
                QCOMPARE(set.leaves.front().version, std::string("1"));
                const auto bare = *tasks::makeTask(task.toStdString(), fewRows());
                QCOMPARE(bare.leaves.front().version, std::string("2"));
                const std::string before = tasks::contentHash(set.examples.front());
                QVERIFY(before != tasks::contentHash(bare.examples.front()));
                tasks::fitTo(set, *tokenizer); // again
                QCOMPARE(tasks::contentHash(set.examples.front()), before);
                for (std::size_t i = 0; i < set.examples.size(); ++i) {
                    const tasks::Example &fitted = set.examples[i], &plain = bare.examples[i];
                    QCOMPARE(std::string(tasks::withoutStart(fitted.context)), plain.context);
                    for (std::size_t s = 0; s < plain.segments.size(); ++s) {
                        const auto piece = [](const tasks::Example& example, const tasks::Segment& segment) {
                            return example.context.substr(segment.begin, segment.end - segment.begin);
                        };
                        QCOMPARE(piece(fitted, fitted.segments[s]), piece(plain, plain.segments[s]));
                    }
                }
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestPromptStart)
#include "tst_promptstart.moc"
