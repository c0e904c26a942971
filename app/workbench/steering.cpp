// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/steering.h"

#include "app/workbench/prompt.h"
#include "core/io/textfile.h"
#include "core/why/steering.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>

namespace headscope::app {

namespace {

using Prompts = std::vector<std::vector<int>>;

// Names may hold a '-' themselves: the two files are where both are there.
std::optional<std::pair<std::string, std::string>> filesOf(const std::string& lists)
{
    std::error_code ignored;
    for (std::size_t at = lists.find('-'); at != std::string::npos; at = lists.find('-', at + 1)) {
        std::pair<std::string, std::string> files(lists.substr(0, at), lists.substr(at + 1));
        if (std::filesystem::is_regular_file(files.first, ignored)
            && std::filesystem::is_regular_file(files.second, ignored))
            return files;
    }
    return std::nullopt;
}

Result<Prompts> readPrompts(const std::string& file, const text::Tokenizer& tokenizer, StartToken start)
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
        return inputError("The file '" + file + "' holds no prompts; expected one a line.");
    return prompts;
}

} // namespace

std::function<Result<at::Tensor>(const interventions::Steer&)> promptDirections(const OpenModel& open)
{
    // A set is resolved for every batch; its direction is made once.
    auto kept = std::make_shared<std::map<std::pair<int, std::string>, at::Tensor>>();
    return [kept, model = open.loaded.model, tokenizer = open.tokenizer,
            start = open.startToken](const interventions::Steer& steer) -> Result<at::Tensor> {
        const auto key = std::pair(steer.layer, steer.direction);
        if (const auto made = kept->find(key); made != kept->end())
            return made->second;
        const auto files = filesOf(steer.direction);
        if (!files)
            return inputError(
                "'" + steer.direction
                + "' names no two lists of prompts; expected two text files with one prompt a line, joined "
                  "by '-', or a vector as FILE[NAME].");
        const auto toward = readPrompts(files->first, *tokenizer, start),
                   away = readPrompts(files->second, *tokenizer, start);
        for (const auto* list : {&toward, &away})
            if (!list->has_value())
                return list->error();
        auto direction = why::meanDifference(*model, *toward, *away, steer.layer);
        if (direction.has_value())
            kept->emplace(key, *direction);
        return direction;
    };
}

} // namespace headscope::app
