// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/steering.h"

#include "app/notebook/outsideinputs.h"
#include "app/workbench/prompt.h"
#include "core/io/textfile.h"
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
        return inputError("The file '" + file.string() + "' holds no prompts; expected one a line.");
    return prompts;
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
    open.donors.direction = [kept, model = open.loaded.model, tokenizer = open.tokenizer,
                             start = open.startToken](const interventions::Steer& steer) -> Result<at::Tensor> {
        const auto files = listsOf(steer);
        if (!files)
            return inputError(
                "'" + steer.direction
                + "' names no two lists of prompts; expected two text files with one prompt a line, joined "
                  "by '-', or a vector as FILE[NAME].");
        const std::string content = contentOf(files->first) + contentOf(files->second);
        Made& made = (*kept)[{steer.layer, steer.direction}];
        if (made.content == content)
            return made.direction;
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
