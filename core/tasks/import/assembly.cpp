// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/import/assembly.h"

#include "core/base/hash.h"
#include "core/tasks/python/pyrandom.h"
#include "core/tasks/python/pytext.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::tasks {

std::size_t limited(std::size_t n, const std::optional<double>& limit)
{
    if (!limit)
        return n;
    const double rows = *limit < 1 ? std::ceil(static_cast<double>(n) * *limit) : *limit;
    return std::min(n, static_cast<std::size_t>(std::max(0.0, rows)));
}

namespace {

// The few-shot block of each evaluated row in turn; the sampler's generator runs on from row to row.
class ShotBlocks
{
public:
    ShotBlocks(const std::vector<Doc>& shots, int count, const Assembly& assembly)
        : m_shots(shots), m_count(static_cast<std::size_t>(count)), m_assembly(assembly), m_random(1234)
    {
    }

    [[nodiscard]] std::size_t drawn() const
    {
        const bool oneMore = m_assembly.shots == Shots::SampledOne || m_assembly.shots == Shots::FirstOthersOne;
        return m_count + (oneMore && m_count > 0 ? 1 : 0);
    }

    [[nodiscard]] std::string next(const Doc& evaluated)
    {
        std::string block;
        if (m_count == 0)
            return block;
        std::vector<std::size_t> indices(drawn());
        if (m_assembly.shots == Shots::Sampled || m_assembly.shots == Shots::SampledOne)
            indices = m_random.sample(m_shots.size(), drawn());
        else
            std::iota(indices.begin(), indices.end(), std::size_t{0});
        if (m_assembly.shots != Shots::First)
            std::erase_if(indices, [&](std::size_t i) { return m_shots[i].identity == evaluated.identity; });
        indices.resize(std::min(indices.size(), m_count));
        for (const std::size_t i : indices) {
            block += m_shots[i].text;
            if (!m_shots[i].shot.empty())
                block.append(m_assembly.delimiter).append(m_shots[i].shot).append("\n\n");
        }
        return block;
    }

private:
    const std::vector<Doc>& m_shots;
    std::size_t m_count;
    const Assembly& m_assembly;
    PyRandom m_random;
};

Example makeExample(const LeafTask& leaf, const Doc& doc, const std::string& prefix, const Assembly& assembly)
{
    Example example;
    example.task = leaf.name;
    example.row = doc.record;
    example.scoring = leaf.scoring;
    example.gold = doc.gold;
    if (doc.contexts.empty()) {
        example.context = prefix + doc.text + assembly.suffix;
        example.segments = doc.segments;
        for (Segment& segment : example.segments) {
            segment.begin += prefix.size();
            segment.end += prefix.size();
        }
    }
    for (const std::string& context : doc.contexts)
        example.contexts.push_back(prefix + context);
    for (const std::string& choice : doc.choices) {
        example.continuations.push_back(assembly.delimiter + choice);
        if (doc.contexts.empty()) // partial scoring compares the same words after different contexts
            example.normLengths.push_back(codePoints(choice));
    }
    if (leaf.scoring == Scoring::LogLikelihood)
        example.continuations = {doc.target};
    if (leaf.scoring == Scoring::Generation) {
        example.target = doc.target;
        example.until = assembly.until;
        example.maxNewTokens = assembly.maxNewTokens;
    }
    return example;
}

/// Fields one after the other, each with its length.
void addField(Sha256& hash, std::string_view field)
{
    hash.add(std::to_string(field.size()) + ":");
    hash.add(field);
}

void addField(Sha256& hash, const std::vector<std::string>& fields)
{
    addField(hash, std::to_string(fields.size()));
    for (const std::string& field : fields)
        addField(hash, field);
}

void addField(Sha256& hash, const std::vector<Doc>& docs)
{
    addField(hash, std::to_string(docs.size()));
    for (const Doc& doc : docs) {
        addField(hash, doc.text);
        addField(hash, doc.shot);
        addField(hash, doc.contexts);
        addField(hash, doc.choices);
        addField(hash, std::to_string(doc.gold));
        addField(hash, doc.target);
    }
}

} // namespace

// Of the rows as they are asked, not of the file's bytes: the layouts that a data set comes in are one source.
std::string rowSource(const LeafTask& leaf, const std::vector<Doc>& docs, const std::vector<Doc>& shots,
                      const Assembly& assembly)
{
    Sha256 hash;
    addField(hash, leaf.description);
    addField(hash, std::vector<std::string>{assembly.delimiter, assembly.suffix});
    addField(hash, assembly.until);
    addField(hash, std::to_string(assembly.maxNewTokens));
    addField(hash, docs);
    addField(hash, std::to_string(leaf.fewshot));
    if (leaf.fewshot > 0) {
        addField(hash, std::to_string(static_cast<int>(assembly.shots)));
        addField(hash, shots);
    }
    return hash.hex();
}

Result<void> append(TaskSet& set, LeafTask leaf, const std::vector<Doc>& docs, const std::vector<Doc>& shots,
                    const Assembly& assembly, const std::string& file, const TaskOptions& options)
{
    if (docs.empty()) {
        const std::string first =
            leaf.report.rejected.empty() ? "it contains no rows" : toText(leaf.report.rejected.front());
        return inputError("Task '" + leaf.name + "' has no usable row in '" + file + "' ("
                          + std::to_string(leaf.report.read) + " read): " + first + (first.ends_with('.') ? "" : "."));
    }
    ShotBlocks blocks(shots, leaf.fewshot, assembly);
    if (blocks.drawn() > shots.size())
        return inputError("Task '" + leaf.name + "' needs " + std::to_string(blocks.drawn()) + " rows to draw "
                          + std::to_string(leaf.fewshot) + " examples from; its few-shot file has "
                          + std::to_string(shots.size()) + ".");
    leaf.rowSource = rowSource(leaf, docs, shots, assembly);
    leaf.delimiter = assembly.delimiter;
    leaf.begin = set.examples.size();
    const std::size_t count = limited(docs.size(), options.limit);
    for (std::size_t i = 0; i < count; ++i) {
        Example example = makeExample(leaf, docs[i], leaf.description + blocks.next(docs[i]), assembly);
        example.file = file;
        set.examples.push_back(std::move(example));
    }
    leaf.end = set.examples.size();
    set.report.add(leaf.report);
    set.leaves.push_back(std::move(leaf));
    return {};
}

Metric metric(Metric::Kind kind, std::string filter, Extraction extraction)
{
    Metric result;
    result.kind = kind;
    result.filter = std::move(filter);
    result.extraction = std::move(extraction);
    return result;
}

} // namespace headscope::tasks
