// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/english/corpus.h"

#include "core/base/hash.h"
#include "core/io/textfiles/textfile.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace headscope::train {

namespace fs = std::filesystem;

namespace {

constexpr const char* kHeldOutFile = "heldout.txt";
constexpr std::size_t kShortest = 20; ///< bytes of a paragraph that is worth reading
constexpr std::size_t kHeldOutEvery = 20;

void addParagraphs(std::string_view text, std::vector<std::string>& out)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find("\n\n"), text.size());
        std::string_view paragraph = text.substr(0, end);
        text.remove_prefix(std::min(text.size(), end + 2));
        while (!paragraph.empty() && paragraph.back() == '\n')
            paragraph.remove_suffix(1);
        if (paragraph.size() > kShortest)
            out.emplace_back(paragraph);
    }
}

Result<std::vector<fs::path>> textFiles(const fs::path& folder)
{
    std::error_code problem;
    std::vector<fs::path> files;
    for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem))
        if (entry->path().extension() == ".txt" && entry->path().filename() != kHeldOutFile)
            files.push_back(entry->path());
    if (problem)
        return ioError("The corpus " + folder.string() + " cannot be read: " + problem.message() + ".");
    if (files.empty())
        return inputError("The corpus " + folder.string() + " has no *.txt files.");
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

Result<Corpus> readCorpus(const fs::path& folder)
{
    Result<std::vector<fs::path>> files = textFiles(folder);
    if (!files.has_value())
        return files.error();
    Corpus corpus;
    corpus.files = static_cast<int>(files->size());
    const fs::path heldOut = folder / kHeldOutFile;
    std::error_code unused;
    if (fs::is_regular_file(heldOut, unused))
        files->push_back(heldOut);
    Sha256 hash;
    for (const fs::path& file : *files) {
        const Result<std::string> text = io::readTextFile(file);
        if (!text.has_value())
            return text.error();
        hash.add(file.filename().string() + "\n" + std::to_string(text->size()) + "\n");
        hash.add(*text);
        addParagraphs(*text, file == heldOut ? corpus.heldOut : corpus.paragraphs);
    }
    corpus.sha256 = hash.hex();
    if (corpus.heldOut.empty()) {
        std::vector<std::string> kept;
        for (std::size_t i = 0; i < corpus.paragraphs.size(); ++i)
            (i % kHeldOutEvery == kHeldOutEvery - 1 ? corpus.heldOut : kept).push_back(corpus.paragraphs[i]);
        corpus.paragraphs = std::move(kept);
    }
    if (corpus.paragraphs.empty() || corpus.heldOut.empty())
        return inputError("The corpus " + folder.string() + " has too few paragraphs; expected at least "
                          + std::to_string(kHeldOutEvery) + " of more than " + std::to_string(kShortest) + " bytes.");
    return corpus;
}

std::vector<std::string> commonWords(const Corpus& corpus, int least, const std::vector<std::string>& except)
{
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
    std::map<std::string, int, std::less<>> counts;
    for (const std::string& paragraph : corpus.paragraphs) {
        auto begin = paragraph.begin();
        while ((begin = std::find_if(begin, paragraph.end(), isLetter)) != paragraph.end()) {
            const auto end = std::find_if_not(begin, paragraph.end(), isLetter);
            const std::string_view word(begin, end);
            begin = end;
            if (word.size() < 3 || word.size() > 10 || !std::all_of(word.begin(), word.end(), isLower))
                continue;
            const auto found = counts.find(word);
            if (found == counts.end())
                counts.emplace(word, 1);
            else
                ++found->second;
        }
    }
    for (const std::string& word : except)
        counts.erase(word);
    std::vector<std::string> out;
    for (const auto& [word, count] : counts)
        if (count >= least)
            out.push_back(word);
    return out;
}

} // namespace headscope::train
