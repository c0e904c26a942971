// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/heads/steeringdirections.h"

#include "app/notebook/outsideinputs.h"
#include "app/workbench/prompt/prompt.h"
#include "core/engine/questions/question.h"
#include "core/io/textfiles/textfile.h"
#include "core/lm/weights/packedweight.h"
#include "core/why/lenses/jacobianfile.h"
#include "core/why/steering.h"

#include <filesystem>
#include <map>
#include <memory>

namespace headscope::app {

namespace {

using Prompts = std::vector<std::vector<int>>;

Result<Prompts> readPrompts(const std::filesystem::path& file, const text::Tokenizer& tokenizer, StartToken start)
{
    const auto bytes = io::readTextFile(file);
    if (!bytes.has_value())
        return bytes.error();
    Prompts prompts;
    for (std::size_t begin = 0; begin < bytes->size();) {
        const std::size_t end = std::min(bytes->find('\n', begin), bytes->size());
        std::string line = bytes->substr(begin, end - begin);
        begin = end + 1;
        if (line.ends_with('\r'))
            line.pop_back();
        if (line.find_first_not_of(" \t") == std::string::npos)
            continue;
        auto encoding = encodePrompt(tokenizer, start, line, PromptOrigin::OwnText);
        if (!encoding.has_value())
            return encoding.error();
        prompts.push_back(std::move(encoding->ids));
    }
    if (prompts.empty())
        return inputError("The file '" + file.string() + "' contains no prompts; expected one a line.");
    return prompts;
}

// What moves the stream before the layer so that the word's logit grows most, on average and to first order, but for
// the final norm: the word's row of the head through the lens.
Result<at::Tensor> lensDirection(const lm::Model& model, const text::Tokenizer& tokenizer, const Subject& subject,
                                 int layer, const std::string& word)
{
    const auto token = engine::singleToken(tokenizer, word);
    if (!token.has_value())
        return token.error();
    const auto file = lensOfModel(subject.model.source);
    const auto read = why::readLens(file, model.spec(), subject.model.hash);
    if (!read.has_value())
        return read.error();
    const auto found = read->lens.before.find(layer);
    if (found == read->lens.before.end())
        return inputError("The lens '" + file.string() + "' has no matrix for the stream before layer "
                          + std::to_string(layer) + "; expected a layer that was fitted.");
    const at::Tensor id = at::tensor({*token}, at::kLong).to(model.device()),
                     row = lm::rowsOf(model.parts().head.weight, id)[0].to(at::kCPU, at::kFloat);
    if (row.size(0) != found->second.size(0))
        return inputError("The model's head reads " + std::to_string(row.size(0)) + " numbers and its stream has "
                          + std::to_string(found->second.size(0)) + ", so no word has a direction in it.");
    return at::matmul(row, found->second);
}

} // namespace

void connectDirections(OpenModel& open)
{
    // A set is resolved for every batch; its direction is made once for each content of its files.
    struct Made {
        std::string content;
        at::Tensor direction;
    };
    auto kept = std::make_shared<std::map<std::pair<int, std::string>, Made>>();
    open.donors.direction = [kept, model = open.loaded.model, tokenizer = open.tokenizer, start = open.startToken,
                             subject = open.subject](const interventions::Steer& steer) -> Result<at::Tensor> {
        const auto word = wordOf(steer);
        const auto files = word ? std::nullopt : listsOf(steer);
        if (!word && !files)
            return inputError(
                "'" + steer.direction
                + "' names no two lists of prompts; expected two text files with one prompt a line, joined "
                  "by '-', a vector as FILE[NAME], or jlens:WORD.");
        Made& made = (*kept)[{steer.layer, steer.direction}];
        const std::string content = word ? contentOfLens(lensOfModel(subject.model.source))
                                         : contentOf(files->first) + contentOf(files->second);
        if (made.direction.defined() && made.content == content)
            return made.direction;
        if (word) {
            auto direction = lensDirection(*model, *tokenizer, subject, steer.layer, *word);
            if (direction.has_value())
                made = {content, *direction};
            return direction;
        }
        const auto toward = readPrompts(files->first, *tokenizer, start),
                   away = readPrompts(files->second, *tokenizer, start);
        for (const auto* list : {&toward, &away})
            if (!list->has_value())
                return list->error();
        auto direction = why::meanDifference(*model, *toward, *away, steer.layer);
        if (direction.has_value())
            made = {content, *direction};
        return direction;
    };
}

} // namespace headscope::app
