// SPDX-License-Identifier: GPL-3.0-or-later
// Two different questions never end as one record. Of every command that measures a model and keeps what it measured,
// every option that it takes is decided here: one that decides the numbers makes another record beside the first, any
// other makes none. An option or a command without a decision fails.
#include "sessions/analyses.h"
#include "sessions/sessionstore.h"
#include "sessions/surveys.h"
#include "tests/support/clifixture.h"

#include <cmath>
#include <map>

using namespace headscope;
using namespace clifixture;

namespace {

const QString kSmall = QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/small-transformer"); // reads any word
const QStringList kSample = {u"--task"_s, u"toy_kv:pairs=4"_s, u"--sample"_s, u"3"_s};
const QStringList kMeans = {u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"3"_s};

enum class Effect {
    Another,  ///< record
    None,     ///< on what is stored
    Refused,  ///< the command takes no such thing here
    Elsewhere ///< where this test cannot go; `before` is empty
};

struct Decision {
    Effect effect = Effect::Another;
    QStringList before, after; ///< what follows the command's name
};
using Decisions = std::map<QString, Decision>;

/// Every record of a session: what it is known by, and its numbers.
std::map<std::string, std::string> recordsOf(const QString& file)
{
    std::map<std::string, std::string> records;
    auto session = sessions::SessionStore::open(file.toStdString(), {.create = false, .readOnly = true});
    if (!session.has_value())
        return records;
    const auto numbers = [](const auto& values) {
        std::string text;
        for (const sessions::AnalysisValue& value : values)
            text += value.part + value.receiver + std::to_string(value.position) + value.measure + value.words
                    + std::to_string(value.value) + "\n";
        return text;
    };
    const std::vector<sessions::AnalysisRecord> analyses =
        *sessions::analyses(*session); // a loop keeps no Result alive
    for (const sessions::AnalysisRecord& record : analyses) {
        const sessions::AnalysisKey& key = record.key;
        records[key.kind + key.modelHash + key.dtype + key.device + key.ablation + key.questionJson] =
            numbers((*sessions::storedAnalysis(*session, key))->values);
    }
    const std::vector<sessions::SurveyRecord> surveys = *sessions::surveys(*session);
    for (const sessions::SurveyRecord& record : surveys) {
        const sessions::SurveyKey& key = record.key;
        std::string heads;
        const auto stored = *sessions::survey(*session, key);
        for (const sessions::SurveyHead& head : stored->heads)
            heads += head.head + head.data;
        records["survey" + key.modelHash + key.tokenizerHash + key.dtype + key.ablation + key.texts
                + key.settingsJson] = heads;
    }
    const std::vector<sessions::RankingRecord> rankings = *session->rankings();
    for (const sessions::RankingRecord& ranking : rankings) {
        std::string heads;
        for (const sessions::RankedHead& head : ranking.heads)
            heads += head.head + std::to_string(head.value) + "\n";
        records["ranking" + ranking.uid] = heads;
    }
    const std::vector<sessions::PatternInfo> patterns = *session->patterns();
    for (const sessions::PatternInfo& info : patterns)
        records["pattern" + std::to_string(info.id)] = info.promptHash + session->pattern(info.id)->inputs;
    return records;
}

QByteArray vector(float scale)
{
    return vectors(scale, {{"v", "[128]"}});
}

QString joined(const std::map<std::string, std::string>& records)
{
    QString text;
    for (const auto& [key, numbers] : records)
        text += QString::fromStdString(key).left(2000) + u'\n';
    return text;
}

} // namespace

class TestQuestions : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void everyOptionIsDecided();
    void differentQuestionsAreDifferentRecords_data();
    void differentQuestionsAreDifferentRecords();
    void theSeedOrdersTexts_data();
    void theSeedOrdersTexts();
    void whatIsNotKeptIsNotReplaced_data();
    void whatIsNotKeptIsNotReplaced();
    void contentDecidesNotTheNameOfAFile_data();
    void contentDecidesNotTheNameOfAFile();
    void scoresFollowWhatTheirInterventionsRead_data();
    void scoresFollowWhatTheirInterventionsRead();
    void anOwnTaskIsKnownByItsRules_data();
    void anOwnTaskIsKnownByItsRules();

private:
    /// Files that interventions read, and the others that contents are changed in, as they are at first.
    void writeInputs() const;
    /// Another content of the same size or of another, under the same name.
    void change(const QString& file) const;
    [[nodiscard]] QString path(const QString& name) const { return m_folder.path(name); }
    /// Options that all commands have, after these arguments.
    void addCommon(Decisions& all, const QStringList& base, const QStringList& seeded) const;
    /// Options that choose a prompt or rows of a task. `one`: a single prompt; `many`: as many as a limit says;
    /// `head`: what the command needs besides.
    void addPrompts(Decisions& all, const QStringList& head, const QStringList& one, const QStringList& many) const;
    [[nodiscard]] std::map<QString, Decisions> decisions() const;
    /// The session of these arguments alone, made once.
    [[nodiscard]] QString sessionOf(const QStringList& arguments);

    Folder m_folder;
    std::map<QString, QString> m_sessions; ///< by arguments
};

QString TestQuestions::sessionOf(const QStringList& arguments)
{
    QString& file = m_sessions[arguments.join(u'\n')];
    if (!file.isEmpty())
        return file;
    file = path(u"base%1.headscope"_s.arg(m_sessions.size()));
    const Outcome outcome = run(arguments + QStringList{u"--quiet"_s, u"--session"_s, file});
    if (outcome.code != 0)
        qWarning("%s: %s", qPrintable(arguments.join(u' ')), outcome.err.constData());
    return file;
}

void TestQuestions::initTestCase()
{
    if (!QFile::exists(qEnvironmentVariable("HEADSCOPE_CLI")))
        QSKIP("HEADSCOPE_CLI names no program; ctest sets it.");
    // A tokenizer of the same words in another order, word lists, tasks, pairs, texts.
    QDir().mkpath(path(u"tokenizer"_s));
    for (const QString& name : {u"tokenizer.json"_s, u"tokenizer_config.json"_s})
        QFile::copy(kModel + u'/' + name, path(u"tokenizer/"_s + name));
    const QByteArray tokenizer = read(kModel + u"/tokenizer.json"_s);
    QFile::remove(path(u"tokenizer/tokenizer.json"_s));
    write(path(u"tokenizer/tokenizer.json"_s), tokenizer + "\n");
    for (const char* folder : {"w1", "w2", "d1/words", "d2/words"}) {
        const QString words = path(QString::fromLatin1(folder));
        QDir().mkpath(words);
        const QByteArray which =
            QByteArray(folder).contains('1') ? "stone river apple table" : "chair horse cloud bread";
        write(words + u"/nounlist.txt"_s, QByteArray(which).replace(' ', '\n'));
        write(words + u"/verblist.txt"_s, "walk\nsing");
        write(words + u"/adjectivelist.txt"_s, "old\nnew");
    }
    writeAdapter(path(u"adapter"_s));
    for (const char* step : {"1", "2"}) { // checkpoints
        QFile::link(kModel, path(u"tiny-"_s + QLatin1String(step)));
        QFile::link(kSmall, path(u"small-"_s + QLatin1String(step)));
    }
    write(path(u"own.json"_s),
          R"({"task": "own", "doc_to_text": "The food of {{name}} is", "doc_to_choice": ["red", "fox"],
        "doc_to_target": "{{answer}}", "metric_list": ["acc"],
        "rows": [{"name": "Ada", "answer": "0"}, {"name": "Ben", "answer": "1"}, {"name": "Max", "answer": "0"}],
        "fewshot_rows": [{"name": "Tom", "answer": "1"}, {"name": "Eva", "answer": "0"}]})");
    const QByteArray pair = R"({"clean": "The food of Ada is", "corrupt": "The food of Ben is", "answer": "red", )"
                            R"("distractor": "fox"})";
    write(path(u"p1.jsonl"_s), pair + "\n" + QByteArray(pair).replace("Ben", "Max") + "\n");
    write(path(u"p2.jsonl"_s), pair + "\n" + QByteArray(pair).replace("Ben", "Tom") + "\n");
    for (const char* name : {"t1.txt", "t2.txt"}) {
        QByteArray text;
        for (int line = 0; line < 40; ++line)
            text += QByteArray("The home of Ada is Rome . The food of ") + (line % 2 ? "Ben" : "Max") + " is "
                    + (name[1] == '1' ? "bread" : "soup") + " .\n";
        write(path(QString::fromLatin1(name)), text);
    }
    for (const char* number : {"1", "2"})
        VERIFY_DONE(run({u"lens"_s, u"fit"_s, kModel, u"--texts"_s, path(u"t%1.txt"_s.arg(QLatin1String(number))),
                         u"--prompts"_s, u"1"_s, u"--length"_s, u"16"_s, u"--skip"_s, u"4"_s, u"--output"_s,
                         path(u"l%1.pt"_s.arg(QLatin1String(number)))}));
}

void TestQuestions::addCommon(Decisions& all, const QStringList& base, const QStringList& seeded) const
{
    all[u"--device"_s] = {Effect::Elsewhere, {}, {}}; // the key has its kind; a GPU would be needed
    all[u"--dtype"_s] = {Effect::Another, base, base + QStringList{u"--dtype"_s, u"bf16"_s}};
    all[u"--weights"_s] = {Effect::Another, base, base + QStringList{u"--weights"_s, u"int8"_s}};
    all[u"--seed"_s] = {Effect::Another, seeded, seeded + QStringList{u"--seed"_s, u"5"_s}};
    all[u"--threads"_s] = {Effect::None, base, base + QStringList{u"--threads"_s, u"2"_s}};
    all[u"--memory"_s] = {Effect::None, base, base + QStringList{u"--memory"_s, u"4GB"_s}};
    all[u"--keep-packed"_s] = {Effect::None, base, base + QStringList{u"--keep-packed"_s, u"0"_s}};
    all[u"--session"_s] = {Effect::None, base, base};
    all[u"--again"_s] = {Effect::None, base, base + QStringList{u"--again"_s}};
    all[u"--order-seed"_s] = {Effect::None, base, base + QStringList{u"--order-seed"_s, u"3"_s}};
    all[u"--json"_s] = {Effect::None, base, base + QStringList{u"--json"_s}};
    all[u"--quiet"_s] = {Effect::None, base, base};
    all[u"--tokenizer"_s] = {Effect::Another, base, base + QStringList{u"--tokenizer"_s, path(u"tokenizer"_s)}};
    all[u"--ablate"_s] = {Effect::Another, base, base + QStringList{u"--ablate"_s, u"L0H1,L1H2"_s}};
    all[u"--adapter"_s] = {Effect::Another, base, base + QStringList{u"--adapter"_s, path(u"adapter"_s)}};
    all[u"--output"_s] = {Effect::None, base, base + QStringList{u"--output"_s, path(u"out.csv"_s)}};
}

void TestQuestions::addPrompts(Decisions& all, const QStringList& head, const QStringList& one,
                               const QStringList& many) const
{
    QStringList inEnglish = head;
    inEnglish[1] = kSmall;
    inEnglish += QStringList{u"--task"_s, u"kv_retrieval:pairs=3"_s, u"--sample"_s, u"0"_s};
    const auto swapped = [](QStringList arguments, const QString& option, const QString& value) {
        arguments[arguments.indexOf(option) + 1] = value;
        return arguments;
    };
    all[u"--task"_s] = {Effect::Another, head + one, head + swapped(one, u"--task"_s, u"toy_kv:pairs=5"_s)};
    all[u"--sample"_s] = {Effect::Another, head + one, head + swapped(one, u"--sample"_s, u"4"_s)};
    all[u"--limit"_s] = {
        many.isEmpty() ? Effect::None : Effect::Another, head + (many.isEmpty() ? one : many),
        head + (many.isEmpty() ? one + QStringList{u"--limit"_s, u"5"_s} : swapped(many, u"--limit"_s, u"2"_s))};
    const QStringList own = head + QStringList{u"--task"_s, path(u"own.json"_s), u"--sample"_s, u"0"_s};
    all[u"--bos"_s] = {Effect::Another, own, own + QStringList{u"--bos"_s, u"always"_s}}; // a toy task keeps its start
    all[u"--fewshot"_s] = {Effect::Another, own, own + QStringList{u"--fewshot"_s, u"1"_s}};
    for (const QString& option : {u"--words"_s, u"--data"_s}) {
        const QString folder = option == u"--words"_s ? u"w"_s : u"d"_s;
        all[option] = {Effect::Another, inEnglish + QStringList{option, path(folder + u'1')},
                       inEnglish + QStringList{option, path(folder + u'2')}};
    }
    all[u"--answer"_s] = {Effect::Another, head + one, head + one + QStringList{u"--answer"_s, u"fox"_s}};
    all[u"--distractor"_s] = {Effect::Another, head + one, head + one + QStringList{u"--distractor"_s, u"fox"_s}};
    const QString text = u"The food of Ada is"_s;
    all[u"--text"_s] = {Effect::Another, head + QStringList{u"--text"_s, text},
                        head + QStringList{u"--text"_s, u"The home of Ada is"_s}};
}

std::map<QString, Decisions> TestQuestions::decisions() const
{
    std::map<QString, Decisions> all;
    const auto add = [](Decisions& command, const QString& option, Effect effect, const QStringList& before,
                        const QStringList& more) {
        command[option] = {effect, before, before + more};
    };
    {
        Decisions& lens = all[u"lens"_s];
        const QStringList head{u"lens"_s, kModel}, base = head + kSample;
        addCommon(lens, base, base);
        addPrompts(lens, head, kSample, {});
        add(lens, u"--row"_s, Effect::Another, base, {u"--row"_s, u"3"_s});
        add(lens, u"--lens"_s, Effect::Another, base, {u"--lens"_s, path(u"l1.pt"_s)});
        add(lens, u"--top"_s, Effect::None, base, {u"--top"_s, u"2"_s});
        lens.erase(u"--distractor"_s); // one token is followed
    }
    {
        Decisions& attribute = all[u"attribute"_s];
        const QStringList head{u"attribute"_s, kModel}, base = head + kMeans;
        addCommon(attribute, base, base);
        addPrompts(attribute, head, kSample, kMeans);
        add(attribute, u"--distractor"_s, Effect::Another, base, {u"--distractor"_s, u"fox"_s}); // of a mean
        add(attribute, u"--sources"_s, Effect::None, head + kSample, {u"--sources"_s});
        add(attribute, u"--top"_s, Effect::None, base, {u"--top"_s, u"2"_s});
    }
    for (const QString& name : {u"patch"_s, u"edges"_s}) {
        Decisions& pairs = all[name];
        QStringList head{name, kModel};
        if (name == u"edges"_s)
            head += QStringList{u"--receiver"_s, u"L2.mlp"_s};
        const QStringList base = head + kMeans;
        addCommon(pairs, base, base);
        addPrompts(pairs, head, kSample, kMeans);
        for (const QString& option :
             {u"--words"_s, u"--data"_s}) // what depends on them has no counterpart of its length
            pairs[option].effect = Effect::Refused;
        add(pairs, u"--answer"_s, Effect::Another, base, {u"--answer"_s, u"fox"_s}); // of a mean
        pairs[u"--text"_s].effect = Effect::Refused;                                 // two prompts are needed
        const auto prompts = [&](const char* clean, const char* corrupt) {
            return head
                   + QStringList{u"--clean"_s, QString::fromLatin1(clean), u"--corrupt"_s,
                                 QString::fromLatin1(corrupt)};
        };
        pairs[u"--clean"_s] = {Effect::Another, prompts("The food of Ada is", "The food of Ben is"),
                               prompts("The home of Ada is", "The food of Ben is")};
        pairs[u"--corrupt"_s] = {Effect::Another, prompts("The food of Ada is", "The food of Ben is"),
                                 prompts("The food of Ada is", "The food of Max is")};
        pairs[u"--pairs"_s] = {Effect::Another, head + QStringList{u"--pairs"_s, path(u"p1.jsonl"_s)},
                               head + QStringList{u"--pairs"_s, path(u"p2.jsonl"_s)}};
        const QStringList one = head + kSample;
        pairs[u"--exchange"_s] = {Effect::Another, one + QStringList{u"--exchange"_s, u"key"_s},
                                  one + QStringList{u"--exchange"_s, u"value"_s}};
        add(pairs, u"--direction"_s, Effect::Another, base, {u"--direction"_s, u"noise"_s});
        add(pairs, u"--forecast"_s, Effect::None, base, {u"--forecast"_s});
        add(pairs, u"--part"_s, Effect::None, base, {u"--part"_s, u"0/1"_s});
    }
    {
        Decisions& patch = all[u"patch"_s];
        const QStringList base = QStringList{u"patch"_s, kModel} + kSample;
        add(patch, u"--what"_s, Effect::Another, base, {u"--what"_s, u"mlp"_s});
        add(patch, u"--positions"_s, Effect::Another, base, {u"--positions"_s, u"last"_s});
        Decisions& edges = all[u"edges"_s];
        const QStringList head{u"edges"_s, kModel};
        const QStringList into = head + kSample + QStringList{u"--receiver"_s, u"L2.mlp"_s};
        edges[u"--receiver"_s] = {Effect::Another, into, head + kSample + QStringList{u"--receiver"_s, u"L2H5.k"_s}};
        edges[u"--sender"_s] = {Effect::Another, into, head + kSample + QStringList{u"--sender"_s, u"L2.mlp"_s}};
        add(edges, u"--top"_s, Effect::None, into, {u"--top"_s, u"2"_s});
    }
    {
        Decisions& knockout = all[u"knockout"_s];
        const QStringList head{u"knockout"_s, kModel, u"--queries"_s, u"4"_s, u"--keys"_s, u"1"_s};
        const QStringList base = head + kSample;
        addCommon(knockout, base, base);
        addPrompts(knockout, head, kSample, {});
        const auto spans = [](const char* queries, const char* keys) {
            return QStringList{u"knockout"_s,  kModel,
                               u"--queries"_s, QString::fromLatin1(queries),
                               u"--keys"_s,    QString::fromLatin1(keys)}
                   + kSample;
        };
        knockout[u"--queries"_s] = {Effect::Another, base, spans("3-4", "1")};
        knockout[u"--keys"_s] = {Effect::Another, base, spans("4", "2")};
        add(knockout, u"--window"_s, Effect::Another, base, {u"--window"_s, u"2"_s});
        add(knockout, u"--softmax"_s, Effect::Another, base, {u"--softmax"_s, u"after"_s});
    }
    {
        Decisions& score = all[u"why-score"_s];
        const auto at = [](const char* head, const char* query, const char* key) {
            return QStringList{u"why-score"_s, kModel,
                               u"--head"_s,    QString::fromLatin1(head),
                               u"--query"_s,   QString::fromLatin1(query),
                               u"--key"_s,     QString::fromLatin1(key)};
        };
        const QStringList head = at("L2H5", "4", "1"), base = head + kSample;
        addCommon(score, base, base);
        addPrompts(score, head, kSample, {});
        for (const char* none : {"--answer", "--distractor"}) // nothing is answered
            score.erase(QString::fromLatin1(none));
        score[u"--head"_s] = {Effect::Another, base, at("L1H2", "4", "1") + kSample};
        score[u"--query"_s] = {Effect::Another, base, at("L2H5", "3", "1") + kSample};
        score[u"--key"_s] = {Effect::Another, base, at("L2H5", "4", "2") + kSample};
        add(score, u"--raw"_s, Effect::Another, base, {u"--raw"_s});
        add(score, u"--top"_s, Effect::None, base, {u"--top"_s, u"2"_s});
    }
    {
        Decisions& compare = all[u"compare"_s];
        const QStringList head{u"compare"_s, kModel, kModel}, base = head + kMeans;
        addCommon(compare, base, base);
        addPrompts(compare, head, kSample, kMeans);
        compare[u"--ablate"_s].effect = Effect::Refused; // whole models are compared
        compare[u"--distractor"_s].effect = Effect::Refused;
        for (const QString& option : {u"--words"_s, u"--data"_s}) {
            const QString folder = option == u"--words"_s ? u"w"_s : u"d"_s;
            const QStringList rows{u"compare"_s,  kSmall, kSmall, u"--task"_s, u"kv_retrieval:pairs=3"_s,
                                   u"--sample"_s, u"0"_s, option};
            compare[option] = {Effect::Another, rows + QStringList{path(folder + u'1')},
                               rows + QStringList{path(folder + u'2')}};
        }
        const QStringList texts = head + QStringList{u"--texts"_s, path(u"t1.txt"_s)};
        compare[u"--texts"_s] = {Effect::Another, texts, head + QStringList{u"--texts"_s, path(u"t2.txt"_s)}};
        add(compare, u"--length"_s, Effect::Another, texts, {u"--length"_s, u"5"_s});
        add(compare, u"--prompts"_s, Effect::Another, texts + QStringList{u"--length"_s, u"5"_s},
            {u"--prompts"_s, u"2"_s});
        add(compare, u"--top"_s, Effect::None, base, {u"--top"_s, u"2"_s});
    }
    {
        Decisions& series = all[u"series"_s];
        const QStringList head{u"series"_s, path(u"tiny-1"_s), path(u"tiny-2"_s)},
            base = head + QStringList{u"--metric"_s, u"sink"_s};
        addCommon(series, base, base);
        addPrompts(series, head, kMeans, kMeans);
        for (const char* none : {"--adapter", "--bos", "--sample", "--text", "--answer", "--distractor"})
            series.erase(QString::fromLatin1(none));
        const QStringList own = head + QStringList{u"--task"_s, path(u"own.json"_s)};
        series[u"--fewshot"_s] = {Effect::Another, own, own + QStringList{u"--fewshot"_s, u"1"_s}};
        for (const QString& option : {u"--words"_s, u"--data"_s}) {
            const QString folder = option == u"--words"_s ? u"w"_s : u"d"_s;
            const QStringList rows{u"series"_s,
                                   path(u"small-1"_s),
                                   path(u"small-2"_s),
                                   u"--task"_s,
                                   u"kv_retrieval:pairs=3"_s,
                                   u"--limit"_s,
                                   u"2"_s,
                                   option};
            series[option] = {Effect::Another, rows + QStringList{path(folder + u'1')},
                              rows + QStringList{path(folder + u'2')}};
        }
        const QStringList texts = head + QStringList{u"--metric"_s, u"entropy"_s, u"--texts"_s};
        series[u"--texts"_s] = {Effect::Another, texts + QStringList{path(u"t1.txt"_s)},
                                texts + QStringList{path(u"t2.txt"_s)}};
        series[u"--metric"_s] = {Effect::Another, base, head + QStringList{u"--metric"_s, u"induction"_s}};
        add(series, u"--head"_s, Effect::Another, base, {u"--head"_s, u"L0H0"_s});
    }
    {
        Decisions& weights = all[u"weights"_s];
        const QStringList base{u"weights"_s, kModel};
        addCommon(weights, base, base);
        weights[u"--seed"_s].effect = Effect::None;
        weights[u"--ablate"_s].effect = Effect::Refused; // weights of the whole model
        add(weights, u"--bos"_s, Effect::None, base, {u"--bos"_s, u"always"_s});
        add(weights, u"--head"_s, Effect::Another, base, {u"--head"_s, u"L2H5"_s});
        add(weights, u"--top"_s, Effect::None, base, {u"--top"_s, u"2"_s});
    }
    {
        Decisions& probe = all[u"probe"_s];
        const QStringList head{u"probe"_s, kModel, u"--sequences"_s, u"2"_s}, base = head + kMeans;
        addCommon(probe, head, head);
        addPrompts(probe, head, kMeans, kMeans);
        for (const char* none : {"--sample", "--text", "--answer", "--distractor"})
            probe.erase(QString::fromLatin1(none));
        const QStringList english{u"probe"_s, kSmall, u"--sequences"_s, u"2"_s};
        for (const QString& option : {u"--words"_s, u"--data"_s}) {
            const QString folder = option == u"--words"_s ? u"w"_s : u"d"_s;
            const QStringList rows =
                english + QStringList{u"--task"_s, u"kv_retrieval:pairs=3"_s, u"--limit"_s, u"2"_s, option};
            probe[option] = {Effect::Another, rows + QStringList{path(folder + u'1')},
                             rows + QStringList{path(folder + u'2')}};
        }
        const QStringList mmlu =
            english + QStringList{u"--task"_s, u"mmlu_astronomy"_s, u"--limit"_s, u"1"_s, u"--fewshot"_s};
        probe[u"--fewshot"_s] = {Effect::Another, mmlu + QStringList{u"0"_s}, mmlu + QStringList{u"1"_s}};
        probe[u"--bos"_s] = {Effect::Another, mmlu + QStringList{u"0"_s},
                             mmlu + QStringList{u"0"_s, u"--bos"_s, u"always"_s}};
        add(probe, u"--method"_s, Effect::Another, base, {u"--method"_s, u"sink"_s});
        add(probe, u"--sequences"_s, Effect::Another, {u"probe"_s, kModel}, {u"--sequences"_s, u"3"_s});
        add(probe, u"--threshold"_s, Effect::None, base, {u"--threshold"_s, u"0.2"_s});
        add(probe, u"--top"_s, Effect::None, base, {u"--top"_s, u"2"_s});
    }
    {
        Decisions& survey = all[u"survey"_s];
        const QStringList head{u"survey"_s,        kModel,  u"--window"_s, u"32"_s,
                               u"--token-count"_s, u"96"_s, u"--top"_s,    u"2"_s};
        const QStringList base = head + QStringList{u"--texts"_s, path(u"t1.txt"_s)}, tasks = head + kMeans;
        addCommon(survey, base, base);
        addPrompts(survey, head, kMeans, kMeans);
        for (const char* none : {"--sample", "--text", "--answer", "--distractor"})
            survey.erase(QString::fromLatin1(none));
        const QStringList own = head + QStringList{u"--task"_s, path(u"own.json"_s)};
        survey[u"--fewshot"_s] = {Effect::Another, own, own + QStringList{u"--fewshot"_s, u"2"_s}};
        survey[u"--bos"_s] = {Effect::Another, own, own + QStringList{u"--bos"_s, u"always"_s}};
        QStringList english = head;
        english[1] = kSmall;
        for (const QString& option : {u"--words"_s, u"--data"_s}) {
            const QString folder = option == u"--words"_s ? u"w"_s : u"d"_s;
            const QStringList rows =
                english + QStringList{u"--task"_s, u"kv_retrieval:pairs=3"_s, u"--limit"_s, u"4"_s, option};
            survey[option] = {Effect::Another, rows + QStringList{path(folder + u'1')},
                              rows + QStringList{path(folder + u'2')}};
        }
        survey[u"--texts"_s] = {Effect::Another, base, head + QStringList{u"--texts"_s, path(u"t2.txt"_s)}};
        const auto changed = [&](const char* option, const char* value) {
            QStringList other = base;
            other[other.indexOf(QString::fromLatin1(option)) + 1] = QString::fromLatin1(value);
            survey[QString::fromLatin1(option)] = {Effect::Another, base, other};
        };
        changed("--window", "24");
        changed("--token-count", "64");
        changed("--top", "3"); // so many places are kept
        add(survey, u"--head"_s, Effect::Another, base, {u"--head"_s, u"L2H5"_s});
        add(survey, u"--part"_s, Effect::None, base, {u"--part"_s, u"0/1"_s});
        add(survey, u"--where"_s, Effect::None, base, {u"--where"_s, u"first > 0.1"_s});
        add(survey, u"--threshold"_s, Effect::None, base, {u"--threshold"_s, u"0.2"_s});
        add(survey, u"--loss"_s, Effect::None, base, {u"--loss"_s, u"L2H5"_s}); // is told and not kept
        add(survey, u"--cost"_s, Effect::Another, base, {u"--cost"_s, u"next_token"_s});
        add(survey, u"--against"_s, Effect::Another, base,
            {u"--against"_s, QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-ssm")});
    }
    {
        Decisions& rank = all[u"rank"_s];
        const QStringList head{u"rank"_s, kModel, u"--head"_s, u"L2H4-5"_s}, base = head + kMeans;
        addCommon(rank, base, base);
        addPrompts(rank, head, kMeans, kMeans);
        for (const char* none : {"--sample", "--text", "--answer", "--distractor", "--output"})
            rank.erase(QString::fromLatin1(none));
        const QStringList own = head + QStringList{u"--task"_s, path(u"own.json"_s)};
        rank[u"--fewshot"_s] = {Effect::Another, own, own + QStringList{u"--fewshot"_s, u"1"_s}};
        rank[u"--bos"_s] = {Effect::Another, own, own + QStringList{u"--bos"_s, u"always"_s}};
        for (const QString& option : {u"--words"_s, u"--data"_s}) {
            const QString folder = option == u"--words"_s ? u"w"_s : u"d"_s;
            const QStringList rows{u"rank"_s,    kSmall,      u"--head"_s,
                                   u"L0H0-1"_s,  u"--task"_s, u"kv_retrieval:pairs=3"_s,
                                   u"--limit"_s, u"2"_s,      option};
            rank[option] = {Effect::Another, rows + QStringList{path(folder + u'1')},
                            rows + QStringList{path(folder + u'2')}};
        }
        const QStringList race = base + QStringList{u"--method"_s, u"race"_s, u"--top"_s, u"1"_s};
        const QStringList estimate = base + QStringList{u"--method"_s, u"estimate"_s};
        const QStringList random = base + QStringList{u"--method"_s, u"random"_s, u"--top"_s, u"1"_s, u"--draws"_s};
        rank[u"--head"_s] = {Effect::Another, base,
                             QStringList{u"rank"_s, kModel, u"--head"_s, u"L2H4,L1H0"_s} + kMeans};
        rank[u"--method"_s] = {Effect::Another, base, estimate};
        add(rank, u"--boundary"_s, Effect::Another, base, {u"--boundary"_s, u"common-prefix"_s});
        add(rank, u"--compare-exact"_s, Effect::None, base, {u"--compare-exact"_s});
        add(rank, u"--forecast"_s, Effect::None, base, {u"--forecast"_s});
        add(rank, u"--part"_s, Effect::None, base, {u"--part"_s, u"0/1"_s});
        add(rank, u"--top"_s, Effect::None, base, {u"--top"_s, u"1"_s}); // so many are told
        add(rank, u"--error"_s, Effect::Another, race, {u"--error"_s, u"0.2"_s});
        add(rank, u"--work"_s, Effect::Another, race, {u"--work"_s, u"0.5"_s});
        add(rank, u"--finish"_s, Effect::Another, race, {u"--finish"_s});
        add(rank, u"--points"_s, Effect::Another, estimate, {u"--points"_s, u"2"_s});
        add(rank, u"--agreement"_s, Effect::Another, estimate, {u"--agreement"_s, u"1"_s});
        rank[u"--draws"_s] = {Effect::Another, random + QStringList{u"1"_s}, random + QStringList{u"2"_s}};
    }
    {
        Decisions& pattern = all[u"pattern"_s];
        const QStringList head{u"pattern"_s, kModel, u"--head"_s, u"L1H0"_s}, base = head + kSample;
        addCommon(pattern, base, base);
        addPrompts(pattern, head, kSample, {});
        pattern.erase(u"--answer"_s);
        pattern.erase(u"--distractor"_s);
        pattern[u"--head"_s] = {Effect::Another, base,
                                QStringList{u"pattern"_s, kModel, u"--head"_s, u"L1H1"_s} + kSample};
        add(pattern, u"--row"_s, Effect::None, base, {u"--row"_s, u"3"_s}); // a row alone is not kept
        const QStringList ssm =
            QStringList{u"pattern"_s, QStringLiteral(HEADSCOPE_SOURCE_DIR "/resources/models/tiny-ssm"), u"--head"_s,
                        u"L1H0"_s}
            + kSample;
        add(pattern, u"--no-d"_s, Effect::Another, ssm, {u"--no-d"_s});
        add(pattern, u"--scale"_s, Effect::None, base, {u"--scale"_s, u"log"_s});
    }
    return all;
}

// Commands that keep no record of this kind: scores are known by their series (tst_scoringsession), the others measure
// nothing that a session keeps, or do so through one of the above.
const QStringList kOthers = {u"score"_s,
                             u"generate"_s,
                             u"logprob"_s,
                             u"experts"_s,
                             u"info"_s,
                             u"models"_s,
                             u"tasks"_s,
                             u"tokenize"_s,
                             u"get"_s,
                             u"demo"_s,
                             u"experiment"_s,
                             u"distill"_s,
                             u"train"_s,
                             u"dump"_s,
                             u"lens fit"_s,
                             u"requests"_s,
                             u"compare-samples"_s,
                             u"bench"_s,
                             u"figure"_s,
                             u"page"_s,
                             u"trust"_s,
                             u"class"_s,
                             u"session"_s,
                             u"session info"_s,
                             u"session export"_s,
                             u"session merge"_s,
                             u"session compare"_s,
                             u"session verify"_s,
                             u"session compact"_s,
                             u"session duplicate"_s,
                             u"session report"_s};

void TestQuestions::everyOptionIsDecided()
{
    const auto decided = decisions();
    std::map<QString, QStringList> taken;
    for (const QJsonValue& command : run({u"options"_s}).json()[u"commands"_s].toArray())
        for (const QJsonValue& option : command[u"options"_s].toArray())
            taken[command[u"name"_s].toString()].append(option.toString());
    for (const auto& [command, options] : taken)
        QVERIFY2(command.isEmpty() || decided.contains(command) || kOthers.contains(command), qPrintable(command));
    for (const auto& [command, options] : decided) {
        QVERIFY2(taken.contains(command), qPrintable(command));
        QStringList all = taken[command] + taken[QString()];
        all.removeAll(u"--version"_s); // of the program itself
        for (const QString& option : all)
            QVERIFY2(option == u"--help"_s || options.contains(option), qPrintable(command + u' ' + option));
        for (const auto& [option, decision] : options)
            QVERIFY2(all.contains(option), qPrintable(command + u" does not take "_s + option));
    }
}

void TestQuestions::differentQuestionsAreDifferentRecords_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("option");
    for (const auto& [command, options] : decisions())
        for (const auto& [option, decision] : options)
            if (decision.effect != Effect::Elsewhere)
                QTest::newRow(qPrintable(command + u' ' + option)) << command << option;
}

void TestQuestions::differentQuestionsAreDifferentRecords()
{
    QFETCH(const QString, command);
    QFETCH(const QString, option);
    const Decision decision = decisions()[command][option];
    const bool refused = decision.effect == Effect::Refused;
    const QString base = refused ? QString() : sessionOf(decision.before);
    const auto before = recordsOf(base);
    QVERIFY2(refused || !before.empty(), qPrintable(decision.before.join(u' ')));
    const QString both = path(u"both.headscope"_s);
    for (const char* beside : {"", "-wal", "-shm"})
        QFile::remove(both + QString::fromLatin1(beside));
    QVERIFY(refused || QFile::copy(base, both));
    const Outcome outcome = run(decision.after + QStringList{u"--quiet"_s, u"--session"_s, both});
    QVERIFY2((outcome.code != 0) == refused, (outcome.out + outcome.err).constData());
    if (refused)
        return;
    const auto after = recordsOf(both);
    for (const auto& [key, numbers] : before) {
        QVERIFY2(after.contains(key), qPrintable(joined(before) + u"became\n"_s + joined(after)));
        if (decision.effect == Effect::Another) // else it took its own place, perhaps rounded otherwise
            QVERIFY2(after.at(key) == numbers, qPrintable(joined(before)));
    }
    QVERIFY2((after.size() > before.size()) == (decision.effect == Effect::Another),
             qPrintable(joined(before) + u"and\n"_s + joined(after)));
}

void TestQuestions::theSeedOrdersTexts_data()
{
    QTest::addColumn<QStringList>("arguments");
    const QStringList texts = {u"--texts"_s, path(u"t1.txt"_s), u"--texts"_s, path(u"t2.txt"_s)};
    QTest::newRow("compare") << QStringList{u"compare"_s, kModel,        kModel, u"--prompts"_s,
                                            u"1"_s,       u"--length"_s, u"16"_s}
                                    + texts;
    QTest::newRow("series") << QStringList{u"series"_s, path(u"tiny-1"_s), path(u"tiny-2"_s), u"--metric"_s,
                                           u"entropy"_s}
                                   + texts;
}

// Above, the seed is that of rows of a task. With the seed 3 the other file is read first.
void TestQuestions::theSeedOrdersTexts()
{
    QFETCH(const QStringList, arguments);
    const auto before = recordsOf(sessionOf(arguments));
    const QString both = path(u"seeds-%1.headscope"_s.arg(arguments.front()));
    QVERIFY(QFile::copy(sessionOf(arguments), both));
    for (const char* again : {"first", "second"}) {
        VERIFY_DONE(run(arguments + QStringList{u"--seed"_s, u"3"_s, u"--quiet"_s, u"--session"_s, both}));
        const auto after = recordsOf(both);
        QVERIFY2(after.size() == before.size() + 1, again);
        for (const auto& [key, numbers] : before)
            QVERIFY2(after.contains(key) && after.at(key) == numbers, key.c_str());
    }
}

void TestQuestions::whatIsNotKeptIsNotReplaced_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("logprob") << QStringList{u"logprob"_s, kModel} + kSample;
    QTest::newRow("generate") << QStringList{u"generate"_s, kModel, u"--text"_s, u"The food of Ada is"_s};
}

// A command that begins to keep what it measures needs its decisions.
void TestQuestions::whatIsNotKeptIsNotReplaced()
{
    QFETCH(const QStringList, arguments);
    const QString file = path(u"nothing.headscope"_s);
    VERIFY_DONE(run(arguments + QStringList{u"--session"_s, file}));
    QVERIFY(recordsOf(file).empty());
}

void TestQuestions::contentDecidesNotTheNameOfAFile_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QString>("file");
    const QStringList steered{u"--ablate"_s, u"steer:L2*5="_s + path(u"v.safetensors"_s) + u"[v]"_s};
    const QStringList lists{u"--ablate"_s, u"steer:L2*5="_s + path(u"a.txt"_s) + u'-' + path(u"b.txt"_s)};
    const QStringList swapped{u"--ablate"_s, u"swap:L1="_s + path(u"donor"_s)};
    for (const auto& [name, ablated, file] :
         {std::tuple("vector", steered, u"v.safetensors"_s), std::tuple("first list", lists, u"a.txt"_s),
          std::tuple("second list", lists, u"b.txt"_s), std::tuple("donor", swapped, u"donor/model.safetensors"_s)}) {
        const auto row = [&, under = ablated, of = name, changed = file](const QStringList& command) {
            QTest::addRow("%s under a %s", qPrintable(command.front()), of) << command + under << changed;
        };
        row(QStringList{u"lens"_s, kModel} + kSample);
        row(QStringList{u"attribute"_s, kModel} + kSample);
        row(QStringList{u"patch"_s, kModel} + kSample);
        row(QStringList{u"edges"_s, kModel, u"--receiver"_s, u"L3.mlp"_s} + kSample);
        row(QStringList{u"probe"_s, kModel, u"--sequences"_s, u"2"_s});
        row(QStringList{u"survey"_s, kModel, u"--texts"_s, path(u"t1.txt"_s), u"--window"_s, u"32"_s,
                        u"--token-count"_s, u"96"_s});
        row(QStringList{u"pattern"_s, kModel, u"--head"_s, u"L3H0"_s} + kSample);
        row(QStringList{u"rank"_s, kModel, u"--head"_s, u"L3H0"_s} + kMeans);
    }
    QTest::newRow("lens through a fitted one")
        << QStringList{u"lens"_s, kModel, u"--lens"_s, path(u"lens.pt"_s)} + kSample << u"lens.pt"_s;
    QTest::newRow("patch of pairs") << QStringList{u"patch"_s, kModel, u"--pairs"_s, path(u"pairs.jsonl"_s)}
                                    << u"pairs.jsonl"_s;
    QTest::newRow("survey of texts") << QStringList{u"survey"_s,   kModel,  u"--texts"_s,       path(u"texts.txt"_s),
                                                    u"--window"_s, u"32"_s, u"--token-count"_s, u"96"_s}
                                     << u"texts.txt"_s;
    QTest::newRow("lens of an own task") << QStringList{u"lens"_s, kModel, u"--task"_s, path(u"task.json"_s)}
                                         << u"task.json"_s;
    QTest::newRow("rank of an own task") << QStringList{u"rank"_s,   kModel,   u"--task"_s, path(u"task.json"_s),
                                                        u"--head"_s, u"L3H0"_s}
                                         << u"task.json"_s;
    QTest::newRow("probe of words") << QStringList{u"probe"_s,   kSmall,      u"--sequences"_s,
                                                   u"2"_s,       u"--task"_s, u"kv_retrieval:pairs=3"_s,
                                                   u"--limit"_s, u"2"_s,      u"--words"_s,
                                                   path(u"w1"_s)}
                                    << u"w1/nounlist.txt"_s;
}

void TestQuestions::writeInputs() const
{
    write(path(u"v.safetensors"_s), vector(0));
    write(path(u"a.txt"_s), "The food of Ada is\n");
    write(path(u"b.txt"_s), "The home of Ben is\n");
    QDir().mkpath(path(u"donor"_s));
    for (const QString& name : {u"config.json"_s, u"model.safetensors"_s}) {
        QFile::remove(path(u"donor/"_s + name));
        write(path(u"donor/"_s + name), read(kModel + u'/' + name));
    }
    for (const auto& [from, to] : {std::pair(u"p1.jsonl"_s, u"pairs.jsonl"_s), std::pair(u"t1.txt"_s, u"texts.txt"_s),
                                   std::pair(u"own.json"_s, u"task.json"_s), std::pair(u"l1.pt"_s, u"lens.pt"_s)})
        write(path(to), read(path(from)));
}

void TestQuestions::change(const QString& file) const
{
    QByteArray other = read(path(file));
    if (file == u"v.safetensors"_s)
        other = vector(5);
    else if (file == u"lens.pt"_s)
        other = read(path(u"l2.pt"_s));
    else if (file.endsWith(u".safetensors"_s)) { // the values of the layer that is taken from there
        const qsizetype header = static_cast<unsigned char>(other[0]) + 256 * static_cast<unsigned char>(other[1]);
        const QJsonObject tensors = QJsonDocument::fromJson(other.mid(8, header)).object();
        const QJsonArray at = tensors[u"model.layers.1.self_attn.v_proj.weight"_s][u"data_offsets"_s].toArray();
        const qsizetype bytes = at[1].toInteger() - at[0].toInteger();
        other.replace(8 + header + at[0].toInteger(), bytes, QByteArray("\x00\x00\x80\x3e", 4).repeated(bytes / 4));
    } else
        other.replace("Ada", "Eva").replace("Ben", "Tom").replace("Max", "Tom").replace("stone", "spoon");
    QVERIFY(other != read(path(file)));
    write(path(file), other);
}

// The same command line twice, and between the two another content under the same name.
void TestQuestions::contentDecidesNotTheNameOfAFile()
{
    QFETCH(const QStringList, command);
    QFETCH(const QString, file);
    writeInputs();
    const QString session = path(u"content.headscope"_s);
    for (const char* beside : {"", "-wal", "-shm"})
        QFile::remove(session + QString::fromLatin1(beside));
    const QStringList arguments = command + QStringList{u"--quiet"_s, u"--session"_s, session};
    VERIFY_DONE(run(arguments));
    const auto before = recordsOf(session);
    QVERIFY(!before.empty());
    VERIFY_DONE(run(arguments)); // the same content
    QVERIFY(recordsOf(session) == before);

    change(file);
    VERIFY_DONE(run(arguments));
    const auto after = recordsOf(session);
    QVERIFY2(after.size() > before.size(), qPrintable(joined(before) + u"became\n"_s + joined(after)));
    for (const auto& [key, numbers] : before)
        QVERIFY2(after.contains(key) && after.at(key) == numbers, key.c_str());
}

void TestQuestions::scoresFollowWhatTheirInterventionsRead_data()
{
    QTest::addColumn<QString>("ablation");
    QTest::addColumn<QString>("file");
    QTest::newRow("vector") << u"steer:L2*5="_s + path(u"v.safetensors"_s) + u"[v]"_s << u"v.safetensors"_s;
    const QString lists = u"steer:L2*5="_s + path(u"a.txt"_s) + u'-' + path(u"b.txt"_s);
    QTest::newRow("first list") << lists << u"a.txt"_s;
    QTest::newRow("second list") << lists << u"b.txt"_s;
    QTest::newRow("donor") << u"swap:L1="_s + path(u"donor"_s) << u"donor/model.safetensors"_s;
}

// What a session answers is what a run without one measures.
void TestQuestions::scoresFollowWhatTheirInterventionsRead()
{
    QFETCH(const QString, ablation);
    QFETCH(const QString, file);
    writeInputs();
    const QString session = path(u"scores-%1.headscope"_s.arg(QString::fromLatin1(QTest::currentDataTag())));
    const QStringList score{u"score"_s, kModel,        u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s,
                            u"20"_s,    u"--ablate"_s, ablation,    u"--samples"_s,      path(u"samples.jsonl"_s)};
    // The lines of examples, without what is of the run.
    const auto rows = [&](const QStringList& more) {
        const Outcome outcome = run(score + more);
        if (outcome.code != 0)
            qWarning("%s", outcome.err.constData());
        QByteArray numbers;
        for (const QByteArray& line : read(path(u"samples.jsonl"_s)).split('\n')) {
            QJsonObject row = QJsonDocument::fromJson(line).object();
            row.remove(u"seconds"_s);
            numbers += QJsonDocument(row).toJson(QJsonDocument::Compact) + '\n';
        }
        return numbers;
    };
    const QByteArray before = rows({u"--session"_s, session});
    QVERIFY(!before.isEmpty());
    QCOMPARE(rows({u"--session"_s, session}), before);
    change(file);
    const QByteArray truth = rows({});
    QVERIFY(truth != before);
    QCOMPARE(rows({u"--session"_s, session}), truth);
    writeInputs(); // and what was measured of the first content is there again
    QCOMPARE(rows({u"--session"_s, session}), before);
}

void TestQuestions::anOwnTaskIsKnownByItsRules_data()
{
    QTest::addColumn<QByteArray>("type");
    QTest::addColumn<QByteArray>("first");
    QTest::addColumn<QByteArray>("second");
    const auto row = [](const char* name, const QByteArray& type, const QByteArray& first, const QByteArray& second) {
        QTest::newRow(name) << type << first << second;
    };
    row("metric", "multiple_choice", R"(["acc"])", R"(["acc_norm"])");
    row("order of metrics", "multiple_choice", R"(["acc", "acc_norm"])", R"(["acc_norm", "acc"])");
    row("exact or contained", "generate_until", R"(["exact_match"])", R"(["contains"])");
    const auto exact = [](const char* more) {
        return QByteArray(R"([{"metric": "exact_match")") + (*more ? ", " : "") + more + "}]";
    };
    const QByteArray plain = exact(""), red = exact(R"x("regex": "(r.*)")x");
    row("name of the filter", "generate_until", plain, exact(R"("filter": "x")"));
    row("regex", "generate_until", red, exact(R"x("regex": "(f.*)")x"));
    row("which match", "generate_until", red, exact(R"x("regex": "(r.*)", "group_select": -1)x"));
    row("white space", "generate_until", plain, exact(R"("remove_whitespace": true)"));
    row("case", "generate_until", plain, exact(R"("ignore_case": true)"));
    row("punctuation", "generate_until", plain, exact(R"("ignore_punctuation": true)"));
    row("deletions", "generate_until", plain, exact(R"("regexes_to_ignore": ["e"])"));
}

// The file's version does not say so: its rules do. Rows that were judged in two ways are two series.
void TestQuestions::anOwnTaskIsKnownByItsRules()
{
    QFETCH(const QByteArray, type);
    QFETCH(const QByteArray, first);
    QFETCH(const QByteArray, second);
    const QString session = path(u"rules-%1.headscope"_s.arg(QString::fromLatin1(QTest::currentDataTag())));
    const auto score = [&](const QByteArray& metrics) {
        write(path(u"rules.json"_s),
              R"({"task": "rules", "output_type": ")" + type
                  + R"(", "doc_to_text": "The food of {{name}} is", "doc_to_target": "red", "max_gen_toks": 2,)"
                  + (type == "multiple_choice" ? R"("doc_to_choice": ["red", "fox"],)" : "") + R"("metric_list": )"
                  + metrics + R"(, "rows": [{"name": "Ada"}, {"name": "Ben"}]})");
        VERIFY_DONE(run({u"score"_s, kModel, u"--task"_s, path(u"rules.json"_s), u"--session"_s, session}));
    };
    const auto series = [&] {
        auto store = sessions::SessionStore::open(session.toStdString(), {.create = false, .readOnly = true});
        return store.has_value() ? store->scores()->size() : 0;
    };
    score(first);
    score(first);
    QCOMPARE(series(), std::size_t{1});
    score(second);
    QCOMPARE(series(), std::size_t{2});
}

QTEST_GUILESS_MAIN(TestQuestions)
#include "tst_questionkeys.moc"
