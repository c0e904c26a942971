// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/english/material.h"

#include "core/base/writefile.h"
#include "core/text/training/bpetrainer.h"

#include <algorithm>

namespace headscope::train {

namespace {

constexpr int kNumberWeight = 20000; ///< how often the tokenizer sees each number: enough for a token of its own
constexpr int kLeastCount = 20;      ///< of a word of the corpus that texts are filled with
constexpr std::size_t kLeastWords = 60;
constexpr std::size_t kNamesFromWords = 300;

Result<std::string> trainTokenizer(const Corpus& corpus, int vocabulary)
{
    Result<text::BpeTrainer> trainer = text::BpeTrainer::make();
    if (!trainer.has_value())
        return trainer.error();
    for (const std::string& paragraph : corpus.paragraphs)
        if (Result<void> added = trainer->add(paragraph + "\n\n"); !added.has_value())
            return added.error();
    for (int number = 10; number < 100; ++number)
        if (Result<void> added = trainer->add(" " + std::to_string(number), kNumberWeight); !added.has_value())
            return added.error();
    return trainer->train(vocabulary).tokenizerJson();
}

// First names, and words in their place: whoever is named, it must not matter whether the name was seen.
std::vector<std::string> trainingNames(const std::vector<std::string>& words)
{
    std::vector<std::string> out = tasks::english::names(false);
    std::vector<std::string> known = out;
    for (const std::string& name : tasks::english::names(true))
        known.push_back(name); // of benchmarks
    const std::size_t every = std::max<std::size_t>(1, words.size() / kNamesFromWords);
    for (std::size_t i = 0; i < words.size(); i += every) {
        std::string name = words[i];
        name.front() = static_cast<char>(name.front() - 'a' + 'A');
        if (std::find(known.begin(), known.end(), name) == known.end())
            out.push_back(std::move(name));
    }
    return out;
}

Result<std::vector<std::int32_t>> encodeAll(const text::Tokenizer& tokenizer, const std::vector<std::string>& texts)
{
    std::vector<std::int32_t> ids;
    for (const std::string& paragraph : texts) {
        const Result<text::Encoding> encoded = tokenizer.encode(paragraph + "\n\n", false);
        if (!encoded.has_value())
            return encoded.error();
        ids.insert(ids.end(), encoded->ids.begin(), encoded->ids.end());
    }
    return ids;
}

} // namespace

Result<std::shared_ptr<const EnglishMaterial>> prepareEnglish(const Corpus& corpus, int vocabulary,
                                                              std::vector<std::string> benchmarkWords,
                                                              const std::filesystem::path& folder,
                                                              std::string tokenizerJson)
{
    auto material = std::make_shared<EnglishMaterial>();
    // 1. The tokenizer, through its file, as every later reader gets it.
    Result<std::string> json =
        tokenizerJson.empty() ? trainTokenizer(corpus, vocabulary) : Result<std::string>(std::move(tokenizerJson));
    if (!json.has_value())
        return json.error();
    material->tokenizerJson = std::move(*json);
    const std::filesystem::path file = folder / kTokenizerFile;
    if (Result<void> written = writeFile(file, material->tokenizerJson); !written.has_value())
        return written.error();
    auto tokenizer = text::Tokenizer::load(file);
    if (!tokenizer.has_value())
        return tokenizer.error();
    material->tokenizer = std::move(*tokenizer);
    if (const int size = material->tokenizer->vocabularySize(); size > vocabulary)
        return inputError("The tokenizer has " + std::to_string(size) + " tokens; the recipe's network has "
                          + std::to_string(vocabulary) + ".");

    // 2. Words that no benchmark asks for.
    std::vector<std::string> except = benchmarkWords;
    for (const std::string& word : tasks::english::sentenceWords())
        except.push_back(word);
    material->pools.words = commonWords(corpus, kLeastCount, except);
    if (material->pools.words.size() < kLeastWords)
        return inputError("The corpus has only " + std::to_string(material->pools.words.size())
                          + " words that occur at least " + std::to_string(kLeastCount) + " times; expected "
                          + std::to_string(kLeastWords) + " or more.");
    material->pools.names = trainingNames(material->pools.words);
    material->benchmarkWords = std::move(benchmarkWords);

    // 3. Prose.
    auto prose = encodeAll(*material->tokenizer, corpus.paragraphs);
    auto heldOut = encodeAll(*material->tokenizer, corpus.heldOut);
    if (!prose.has_value() || !heldOut.has_value())
        return prose.has_value() ? heldOut.error() : prose.error();
    material->prose = std::move(*prose);
    material->heldOut = std::move(*heldOut);
    for (const std::string& paragraph : corpus.heldOut)
        material->heldOutBytes += paragraph.size() + 2;
    material->corpusFiles = corpus.files;
    material->corpusHash = corpus.sha256;
    return std::shared_ptr<const EnglishMaterial>(std::move(material));
}

} // namespace headscope::train
