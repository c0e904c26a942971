// SPDX-License-Identifier: GPL-3.0-or-later
// The last word of a story's paragraph where it stands in it once before: LAMBADA's idea (Paperno et al. 2016,
// arXiv 1606.06031) on any plain text.
#include "core/base/hash.h"
#include "core/io/textfiles/textfile.h"
#include "core/tasks/import/harnesstasks.h"

#include <sstream>

namespace headscope::tasks {

namespace {

constexpr std::size_t kShortest = 120, kLongest = 1600; ///< bytes of a prompt
constexpr std::size_t kShortestWord = 3;

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Where `word` stands whole in `text` for the last time; npos: nowhere.
std::size_t lastWhole(std::string_view text, std::string_view word)
{
    for (std::size_t at = text.rfind(word); at != text.npos; at = at > 0 ? text.rfind(word, at - 1) : text.npos) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isLetter(text[at - 1])) && (end == text.size() || !isLetter(text[end])))
            return at;
    }
    return text.npos;
}

// Empty where the last word is new to the paragraph, or the paragraph too short or too long.
std::optional<Doc> clozeDoc(const std::string& paragraph)
{
    std::size_t end = paragraph.size();
    while (end > 0 && !isLetter(paragraph[end - 1]))
        --end;
    std::size_t begin = end;
    while (begin > 0 && isLetter(paragraph[begin - 1]))
        --begin;
    if (end - begin < kShortestWord || begin < 2 || paragraph[begin - 1] != ' ')
        return {};
    const std::string word = paragraph.substr(begin, end - begin);
    Doc doc;
    doc.text = paragraph.substr(0, begin - 1);
    const std::size_t source = lastWhole(doc.text, word);
    if (source == std::string::npos || doc.text.size() < kShortest || doc.text.size() > kLongest)
        return {};
    doc.target = " " + word;
    doc.segments.push_back({Role::Value, source, source + word.size(), 0, true});
    doc.identity = paragraph;
    return doc;
}

// Paragraphs are separated by empty lines; their lines are joined.
std::vector<std::string> paragraphs(const std::string& text)
{
    std::vector<std::string> out(1);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.ends_with('\r'))
            line.pop_back();
        if (line.empty() && !out.back().empty())
            out.emplace_back();
        else if (!line.empty())
            out.back() += (out.back().empty() ? "" : " ") + line;
    }
    if (out.back().empty())
        out.pop_back();
    return out;
}

} // namespace

const TaskInfo& clozeTask()
{
    static const TaskInfo info{"cloze",
                               "the last word of a paragraph, which also occurs earlier in it",
                               "cloze/heldout.txt (plain text, paragraphs separated by empty lines)",
                               "the held-out paragraphs of a small English model's corpus, or any stories",
                               "that of the text",
                               0};
    return info;
}

Result<void> addCloze(TaskSet& set, const DataFolder& folder, const TaskOptions& options)
{
    const std::optional<Located> located = locate(folder.path, {{"cloze/heldout.txt", "heldout", 0, Layout::Original}});
    if (!located)
        return missingFiles(clozeTask(), folder.path);
    const auto text = io::readTextFile(located->path);
    if (!text.has_value())
        return text.error();
    LeafTask leaf;
    leaf.name = clozeTask().name;
    leaf.version = "1";
    leaf.split = located->candidate.split;
    leaf.scoring = Scoring::LogLikelihood;
    leaf.metrics = {metric(Metric::Kind::Acc), metric(Metric::Kind::Perplexity)};
    leaf.report.files.push_back(located->file);
    leaf.report.sample = folder.sample;
    std::vector<Doc> docs;
    const std::vector<std::string> all = paragraphs(*text);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (std::optional<Doc> doc = clozeDoc(all[i])) {
            doc->record = static_cast<int>(i);
            docs.push_back(std::move(*doc));
        }
    if (docs.empty())
        return inputError("The file '" + located->path.string()
                          + "' has no paragraph of 120 to 1600 bytes whose last word occurs earlier in it.");
    leaf.report.read = leaf.report.accepted = static_cast<int>(docs.size());
    Assembly assembly;
    assembly.delimiter = "";
    return append(set, std::move(leaf), docs, {}, assembly, located->file, options);
}

} // namespace headscope::tasks
