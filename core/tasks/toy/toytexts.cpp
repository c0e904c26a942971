// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/toy/toytexts.h"

#include "core/tasks/toy/toyvocabulary.h"

#include <cassert>
#include <cmath>
#include <initializer_list>

namespace headscope::tasks::toy {

namespace {

// Writes a batch text by text; the first text decides the length and the scored rows, which all others share.
class Writer
{
public:
    explicit Writer(int count) { m_batch.count = count; }

    void beginText()
    {
        m_start = m_batch.ids.size();
        m_first = m_start == 0;
        add({Bos});
    }
    void add(std::initializer_list<int> words)
    {
        for (const int word : words)
            m_batch.ids.push_back(word);
    }
    /// The word is one that the model is asked for.
    void addScored(int word)
    {
        if (m_first)
            m_batch.rows.push_back(position() - 1);
        add({word});
    }
    [[nodiscard]] std::int64_t position() const { return static_cast<std::int64_t>(m_batch.ids.size() - m_start); }
    [[nodiscard]] bool first() const { return m_first; }
    [[nodiscard]] Batch& batch() { return m_batch; }

    [[nodiscard]] Batch take()
    {
        m_batch.length = static_cast<int>(m_batch.ids.size() / static_cast<std::size_t>(m_batch.count));
        assert(m_batch.ids.size() == static_cast<std::size_t>(m_batch.count) * m_batch.length);
        return std::move(m_batch);
    }

private:
    Batch m_batch;
    std::size_t m_start = 0;
    bool m_first = true;
};

void addStatement(Writer& writer, int relation, int entity)
{
    writer.add({The, FirstRelation + relation, Of, FirstEntity + entity, Is});
    writer.addScored(factWord(relation, entity));
    writer.add({Period, Newline});
}

void addQuestion(Writer& writer, ToyRandom& random, const McTexts& form)
{
    const int relation = random.below(kRelations);
    const int entity = random.below(kEntities);
    const int truth = fact(relation, entity);
    const int right = random.below(4);
    std::vector<int> options = random.distinct(kAttributes - 1, 4);
    for (int& option : options)
        option += option >= truth ? 1 : 0;
    options[right] = truth;

    writer.add({Question, Colon, The, FirstRelation + relation, Of, FirstEntity + entity, Is, QuestionMark, Newline});
    if (writer.first())
        writer.batch().sourcePositions.clear();
    for (int i = 0; i < 4; ++i) {
        writer.add({LetterA + i, Period});
        if (writer.first())
            writer.batch().sourcePositions.push_back(writer.position());
        writer.add({FirstAttribute + relation * kAttributes + options[i], Newline});
    }
    writer.batch().right.push_back(right);
    const bool nameIt = random.uniform() < form.nameAttributeShare;
    writer.add({Answer, nameIt ? Is : Colon});
    writer.addScored(nameIt ? factWord(relation, entity) : LetterA + right);
    writer.add({Newline});
}

} // namespace

Batch copyTexts(ToyRandom& random, int count, const CopyTexts& form)
{
    constexpr int kPool = WordCount - FirstKeyWord;
    Writer writer(count);
    for (int text = 0; text < count; ++text) {
        writer.beginText();
        const std::vector<int> sequence = random.distinct(kPool, form.words);
        for (int repeat = 0; repeat < form.repeats; ++repeat)
            for (int i = 0; i < form.words; ++i) {
                // The first word of the second copy cannot be foreseen.
                if (repeat > 1 || (repeat == 1 && i > 0))
                    writer.addScored(FirstKeyWord + sequence[i]);
                else
                    writer.add({FirstKeyWord + sequence[i]});
            }
    }
    return writer.take();
}

Batch kvTexts(ToyRandom& random, int count, const KvTexts& form)
{
    assert(form.pairs >= 1 && form.pairs <= form.keyWords && form.pairs <= form.values && form.keyWords <= kKeyWords
           && form.values <= kNumbers);
    std::vector<char> isShort(static_cast<std::size_t>(form.queries), 0);
    const int shortQueries = static_cast<int>(std::lround(form.queries * form.shortShare));
    for (const int query : random.distinct(form.queries, shortQueries))
        isShort[query] = 1;

    Writer writer(count);
    for (int text = 0; text < count; ++text) {
        writer.beginText();
        const std::vector<int> first = random.distinct(form.keyWords, form.pairs);
        const std::vector<int> second = random.distinct(form.keyWords, form.pairs);
        const std::vector<int> values = random.distinct(form.values, form.pairs);
        writer.add({Memorize, LowerThe, Dictionary, Colon, Newline});
        for (int i = 0; i < form.pairs; ++i) {
            writer.add({FirstKeyWord + first[i], FirstSecondWord + second[i], Colon});
            if (writer.first())
                writer.batch().sourcePositions.push_back(writer.position());
            writer.add({FirstNumber + values[i], Newline});
        }
        for (int query = 0; query < form.queries; ++query) {
            const int asked = random.below(form.pairs);
            writer.batch().asked.push_back(asked);
            if (!isShort[query])
                writer.add({The, Value, Of, LowerThe, Key});
            writer.add({FirstKeyWord + first[asked], FirstSecondWord + second[asked], isShort[query] ? Colon : Is});
            writer.addScored(FirstNumber + values[asked]);
            writer.add({Newline});
        }
    }
    return writer.take();
}

Batch mcTexts(ToyRandom& random, int count, const McTexts& form)
{
    Writer writer(count);
    for (int text = 0; text < count; ++text) {
        writer.beginText();
        for (int question = 0; question < form.questions; ++question)
            addQuestion(writer, random, form);
    }
    return writer.take();
}

Batch completionTexts(ToyRandom& random, int count, const CompletionTexts& form)
{
    Writer writer(count);
    for (int text = 0; text < count; ++text) {
        writer.beginText();
        for (int i = 0; i < form.statements; ++i) {
            const int relation = random.below(kRelations);
            addStatement(writer, relation, random.below(kEntities));
        }
    }
    return writer.take();
}

Batch allFacts()
{
    Writer writer(kRelations * kEntities);
    for (int relation = 0; relation < kRelations; ++relation)
        for (int entity = 0; entity < kEntities; ++entity) {
            writer.beginText();
            addStatement(writer, relation, entity);
        }
    return writer.take();
}

} // namespace headscope::tasks::toy
