// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands/commands.h"

#include "app/cli/options/commandline.h"
#include "app/cli/output.h"
#include "app/notebook/tokenizerchoice.h"
#include "core/io/textfiles/textfile.h"
#include "core/text/tokenizer.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <limits>
#include <memory>
#include <vector>

namespace headscope::cli {

namespace {

constexpr std::uint64_t kLargestText = 1'000'000'000; // bytes
constexpr std::size_t kLongestLine = 256'000'000;

struct TokenizeOptions {
    std::string model;
    std::string text;
    std::string file;
    bool hasText = false;
    bool lines = false; ///< --stdin-jsonl
    bool decode = false;
    bool skipSpecial = false;
    bool noSpecial = false;
    bool cleanUp = false;
};

void printLine(const nlohmann::json& json)
{
    printJson(json.dump());
}

Result<std::vector<int>> readIds(const nlohmann::json& list)
{
    const char* expected = "The ids to decode are not a JSON list of whole numbers from 0 to 2147483647.";
    if (!list.is_array())
        return inputError(expected);
    std::vector<int> ids;
    ids.reserve(list.size());
    for (const nlohmann::json& id : list) {
        if (!id.is_number_unsigned()
            || id.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
            return inputError(expected);
        ids.push_back(id.get<int>());
    }
    return ids;
}

Result<nlohmann::json> encode(const text::Tokenizer& tokenizer, const std::string& text, const TokenizeOptions& options)
{
    const Result<text::Encoding> encoding = tokenizer.encode(text, !options.noSpecial);
    if (!encoding.has_value())
        return encoding.error();
    return nlohmann::json{{"ids", encoding->ids}, {"tokens", encoding->tokens}, {"offsets", encoding->offsets}};
}

Result<nlohmann::json> decode(const text::Tokenizer& tokenizer, const nlohmann::json& list,
                              const TokenizeOptions& options)
{
    const Result<std::vector<int>> ids = readIds(list);
    if (!ids.has_value())
        return ids.error();
    const Result<std::string> text = tokenizer.decode(*ids, options.skipSpecial);
    if (!text.has_value())
        return text.error();
    return nlohmann::json{{"text", options.cleanUp ? text::cleanUpSpaces(*text) : *text}};
}

/// One line {"text": ...} or {"ids": [...]}.
Result<nlohmann::json> runLine(const text::Tokenizer& tokenizer, const std::string& line,
                               const TokenizeOptions& options)
{
    const nlohmann::json entry = nlohmann::json::parse(line, nullptr, false);
    const char* key = options.decode ? "ids" : "text";
    if (!entry.is_object() || !entry.contains(key))
        return inputError(std::string("It is not a JSON object with '") + key + "'.");
    if (options.decode)
        return decode(tokenizer, entry[key], options);
    if (!entry[key].is_string())
        return inputError("Its 'text' is not a string.");
    return encode(tokenizer, entry[key].get_ref<const std::string&>(), options);
}

Result<void> runLines(const text::Tokenizer& tokenizer, const TokenizeOptions& options, const Control& control)
{
    std::string line;
    for (std::int64_t number = 1;; ++number) {
        const io::LineRead read = io::readLine(std::cin, line, kLongestLine);
        if (read == io::LineRead::End)
            break;
        if (read == io::LineRead::TooLong)
            return inputError("Line " + std::to_string(number) + " of the input has more than "
                              + std::to_string(kLongestLine) + " bytes, the largest size that is read.");
        if (control.stopped())
            return cancelledError();
        if (line.empty())
            continue;
        const Result<nlohmann::json> done = runLine(tokenizer, line, options);
        if (!done.has_value()) {
            Error error = done.error();
            error.message = "Line " + std::to_string(number) + " of the input could not be tokenized: " + error.message;
            return error;
        }
        printLine(*done);
    }
    return {};
}

Result<void> runText(const text::Tokenizer& tokenizer, const TokenizeOptions& options)
{
    std::string input = options.text;
    if (!options.hasText) {
        auto read = io::readTextFile(options.file, kLargestText);
        if (!read.has_value())
            return read.error();
        input = std::move(*read);
    }
    const Result<nlohmann::json> done = options.decode
                                            ? decode(tokenizer, nlohmann::json::parse(input, nullptr, false), options)
                                            : encode(tokenizer, input, options);
    if (!done.has_value())
        return done.error();
    printLine(*done);
    return {};
}

Result<void> runTokenize(const Context& context, const TokenizeOptions& options)
{
    // A folder with nothing but a tokenizer will do, so a path is taken as it is.
    std::filesystem::path folder = options.model;
    std::error_code code;
    if (!std::filesystem::exists(folder, code)) {
        const auto found = context.modelFolder(options.model);
        if (!found.has_value())
            return found.error();
        folder = found->path;
    }
    const auto tokenizer =
        std::filesystem::is_directory(folder, code)
            ? app::openTokenizer(folder, {}, [&context](const std::string& line) { context.note(line); })
            : text::Tokenizer::load(folder);
    if (!tokenizer.has_value())
        return tokenizer.error();
    if (!std::filesystem::is_directory(folder, code))
        for (const std::string& warning : (*tokenizer)->warnings())
            context.note(warning);
    return options.lines ? runLines(**tokenizer, options, context.control()) : runText(**tokenizer, options);
}

} // namespace

void addTokenizeCommand(CLI::App& app, Context& context)
{
    auto options = std::make_shared<TokenizeOptions>();
    CLI::App* command = app.add_subcommand("tokenize", "convert text to token ids, or back");
    command
        ->add_option("model", options->model,
                     "model folder, included model or org/name; a folder with tokenizer.json is enough")
        ->required();
    CLI::Option_group* source = command->add_option_group("input");
    CLI::Option* text = option(*source, "--text", options->text, "text; with --decode, a JSON list of ids");
    option(*source, "--file", options->file, "file with the same content");
    flag(*source, "--stdin-jsonl", options->lines);
    source->require_option(1);
    flag(*command, "--decode", options->decode);
    flag(*command, "--skip-special", options->skipSpecial);
    flag(*command, "--clean-up", options->cleanUp);
    flag(*command, "--no-special", options->noSpecial);
    command->callback([&context, options, text] {
        options->hasText = text->count() > 0;
        context.run = [&context, options] { return runTokenize(context, *options); };
    });
}

} // namespace headscope::cli
