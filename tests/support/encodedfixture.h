// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The small models of all families, questions of token ids for them, and a recording that does its work again.

#include "core/engine/scoring/pairs/encode.h"
#include "core/lm/device/layergraphs.h"
#include "core/tasks/task.h"
#include "tests/support/sanitized.h"

#include <QString>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

namespace encodedfixture {

using namespace headscope;
namespace fs = std::filesystem;
using engine::EncodedExample;
using engine::Sequence;

/// Folders with a model small enough to be there, by name.
inline std::map<QString, fs::path> families()
{
    std::map<QString, fs::path> found;
    for (const char* where : {"golden", "golden/stretch", "golden/hub", "variants"})
        for (const auto& entry : fs::directory_iterator(fs::path(HEADSCOPE_SOURCE_DIR) / "tests" / "data" / where))
            if (fs::exists(entry.path() / "model.safetensors"))
                found[QString::fromStdString(entry.path().filename().string())] = entry.path();
    if (testing::kSanitized) // every third; all run without a sanitizer
        std::erase_if(found, [place = 0](const auto&) mutable { return place++ % 3 != 0; });
    return found;
}

inline std::vector<int> someIds(int count, int vocabulary, int seed)
{
    std::vector<int> ids;
    auto state = static_cast<std::uint64_t>(seed) * 2654435761U + 1;
    for (int i = 0; i < count; ++i) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        ids.push_back(static_cast<int>((state >> 33) % static_cast<std::uint64_t>(vocabulary)));
    }
    return ids;
}

/// Questions behind one of two headers, with choices of one, two and four tokens; the last has no header.
inline std::vector<EncodedExample> questions(int vocabulary)
{
    std::vector<EncodedExample> examples;
    for (int i = 0; i < 5; ++i) {
        std::vector<int> context = i == 4 ? std::vector<int>() : someIds(7 + i % 2, vocabulary, 100 + i % 2);
        const std::vector<int> question = someIds(3 + 2 * i, vocabulary, i);
        context.insert(context.end(), question.begin(), question.end());
        EncodedExample example;
        example.choices = 3;
        for (int choice = 0; choice < 3; ++choice) {
            const std::vector<int> answer = someIds(1 << choice, vocabulary, 50 + 7 * i + choice);
            Sequence sequence{.ids = context};
            sequence.ids.insert(sequence.ids.end(), answer.begin(), answer.end() - 1);
            for (std::size_t t = 0; t < answer.size(); ++t)
                sequence.targets.push_back({choice, static_cast<int>(context.size() + t) - 1, answer[t]});
            example.sequences.push_back(std::move(sequence));
        }
        examples.push_back(std::move(example));
    }
    return examples;
}

/// A task of multiple choice without texts, one row an item; which choice is right goes round.
inline tasks::TaskSet taskOf(const std::vector<EncodedExample>& items)
{
    tasks::TaskSet set{.name = "questions"};
    for (const EncodedExample& item : items) {
        tasks::Example example;
        example.task = set.name;
        example.row = static_cast<int>(set.examples.size());
        example.gold = example.row % item.choices;
        example.continuations.resize(static_cast<std::size_t>(item.choices));
        set.examples.push_back(std::move(example));
    }
    tasks::LeafTask leaf{.name = set.name};
    leaf.metrics = {tasks::Metric{}};
    leaf.end = set.examples.size();
    set.leaves = {leaf};
    return set;
}

/// What a recording is where there is nothing to record on: the work itself, done at each replay.
inline std::unique_ptr<lm::Recording> repeated(std::function<void()> work)
{
    class Repeated final : public lm::Recording
    {
    public:
        explicit Repeated(std::function<void()> own) : m_work(std::move(own)) {}
        void replay() override { m_work(); }

    private:
        std::function<void()> m_work;
    };
    return std::make_unique<Repeated>(std::move(work));
}

} // namespace encodedfixture
