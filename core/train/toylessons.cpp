// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/lessons.h"
#include "core/train/recipe.h"

#include <algorithm>

namespace headscope::train {

namespace {

namespace toy = tasks::toy;

class ToyLessons final : public Lessons
{
public:
    ToyLessons(const Recipe& recipe, at::Device device) : m_recipe(recipe), m_device(device) {}

    std::vector<Task> tasks(const TrainingState& state) const override
    {
        std::vector<Task> out;
        if (state.copying)
            out.push_back(Task::Copy);
        if (state.copyingOnly)
            return out;
        out.push_back(Task::Kv);
        if (m_recipe.tasks.mcTexts > 0)
            out.push_back(Task::Mc);
        if (m_recipe.tasks.completionTexts > 0)
            out.push_back(Task::Completion);
        return out;
    }

    Lesson draw(Task task, const TrainingState& state, tasks::ToyRandom& random) override
    {
        Lesson lesson;
        const toy::Batch batch = texts(task, state, random, lesson.counts);
        lesson.ids = toTensor(batch.ids, {batch.count, batch.length}, m_device);
        lesson.rows = toTensor(batch.rows, {static_cast<std::int64_t>(batch.rows.size())}, m_device);
        lesson.allTokens = task == Task::Copy ? 0.0 : m_recipe.optimizer.allTokens;
        return lesson;
    }

    NamedScores test(const Network& network, const HeadScales& scales) const override
    {
        const Scores s = evaluate(network, scales, 128);
        return {{"KV4", s.kv4}, {"KV8", s.kv8}, {"KV16", s.kv16}, {"MC", s.mc}, {"knowledge", s.knowledge}};
    }

private:
    toy::Batch texts(Task task, const TrainingState& state, tasks::ToyRandom& random, bool& counts) const
    {
        const TasksRecipe& t = m_recipe.tasks;
        if (task == Task::Copy) {
            const CopyingRecipe& c = m_recipe.copying;
            const int most = state.copyWords, fewest = std::min(c.fewestWords, std::max(3, most / 2));
            const int words = fewest + random.below(most - fewest + 1);
            const int repeats = c.growing && most <= 8 ? 5 : c.repeats;
            return toy::copyTexts(random, state.copyingOnly ? c.texts : t.copyTexts,
                                  {.words = words, .repeats = repeats});
        }
        if (task == Task::Kv) {
            const int pairs = random.below(2) == 0 ? state.pairs : 2 + random.below(state.pairs - 1);
            counts = pairs == state.pairs;
            return toy::kvTexts(random, t.kvTexts,
                                {.pairs = pairs,
                                 .queries = t.kvQueries,
                                 .shortShare = t.kvShort,
                                 .keyWords = state.keyWords,
                                 .values = state.values});
        }
        if (task == Task::Mc)
            return toy::mcTexts(random, t.mcTexts,
                                {.questions = t.mcQuestions, .nameAttributeShare = t.mcNameAttribute});
        return toy::completionTexts(random, t.completionTexts, {.statements = t.completionStatements});
    }

    const Recipe& m_recipe; ///< the trainer's own
    at::Device m_device;
};

} // namespace

std::unique_ptr<Lessons> makeToyLessons(const Recipe& recipe, at::Device device)
{
    return std::make_unique<ToyLessons>(recipe, device);
}

} // namespace headscope::train
