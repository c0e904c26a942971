// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/notebook/tokenizerchoice.h"

#include "core/base/writefile.h"
#include "core/io/pathlist.h"
#include "core/io/textfiles/textfile.h"

#include <nlohmann/json.hpp>

namespace headscope::app {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestChoices = 16'000'000; // bytes

// One spelling for a folder, however it was typed.
std::string keyOf(const fs::path& folder)
{
    std::error_code code;
    const fs::path plain = fs::weakly_canonical(folder, code);
    const std::string text = (code ? fs::absolute(folder) : plain).lexically_normal().string();
    return text.size() > 1 && text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
}

Result<nlohmann::json> read(const fs::path& choices)
{
    if (std::error_code none; !fs::exists(choices, none))
        return nlohmann::json::object();
    const auto text = io::readTextFile(choices, kLargestChoices);
    if (!text.has_value())
        return text.error();
    nlohmann::json all = text->empty() ? nlohmann::json::object() : nlohmann::json::parse(*text, nullptr, false);
    if (!all.is_object())
        return inputError("The file '" + choices.string() + "' is not a JSON object; mend or remove it.");
    return all;
}

} // namespace

fs::path tokenizerChoices()
{
    const fs::path config = io::configFolder();
    return config.empty() ? config : config / "tokenizers.json";
}

fs::path rememberedTokenizer(const fs::path& modelFolder, const fs::path& choices)
{
    if (choices.empty())
        return {};
    const Result<nlohmann::json> all = read(choices);
    if (!all.has_value())
        return {};
    const auto found = all->find(keyOf(modelFolder));
    return found != all->end() && found->is_string() ? fs::path(found->get<std::string>()) : fs::path();
}

Result<void> rememberTokenizer(const fs::path& modelFolder, const fs::path& tokenizer, const fs::path& choices)
{
    if (choices.empty())
        return ioError(
            "The choice of a tokenizer cannot be remembered; expected XDG_CONFIG_HOME or HOME in the environment.");
    const auto failed = [](const Error& error) {
        return ioError("The choice of a tokenizer cannot be remembered: " + error.message);
    };
    Result<nlohmann::json> known = read(choices);
    if (!known.has_value()) // what a person wrote there stays
        return failed(known.error());
    nlohmann::json all = std::move(*known);
    all[keyOf(modelFolder)] = keyOf(tokenizer);
    std::error_code code;
    fs::create_directories(choices.parent_path(), code);
    const auto written = writeFile(choices, all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
    return written.has_value() ? written : Result<void>(failed(written.error()));
}

bool hasTokenizer(const fs::path& modelFolder)
{
    std::error_code ignored;
    for (const char* name : {"tokenizer.json", "vocab.json"})
        if (fs::exists(modelFolder / name, ignored))
            return true;
    return false;
}

namespace {

Result<std::shared_ptr<const text::Tokenizer>> chosenTokenizer(const fs::path& modelFolder, const fs::path& named,
                                                               const std::function<void(const std::string&)>& notify)
{
    if (!named.empty()) {
        auto tokenizer = text::Tokenizer::load(named);
        if (tokenizer.has_value() && !hasTokenizer(modelFolder)) {
            const auto kept = rememberTokenizer(modelFolder, named);
            if (!kept.has_value() && notify)
                notify(kept.error().message);
        }
        return tokenizer;
    }
    const fs::path before = hasTokenizer(modelFolder) ? fs::path() : rememberedTokenizer(modelFolder);
    if (before.empty()) {
        auto own = text::Tokenizer::load(modelFolder);
        if (!own.has_value())
            return Error{
                own.error().kind,
                own.error().message
                    + " One from elsewhere can be chosen, on the command line with --tokenizer; it is then remembered.",
                own.error().detail};
        return own;
    }
    auto tokenizer = text::Tokenizer::load(before);
    if (!tokenizer.has_value())
        return Error{tokenizer.error().kind,
                     "The tokenizer chosen before for this model does not open: " + tokenizer.error().message,
                     {}};
    if (notify)
        notify("The tokenizer is that of '" + before.string() + "', as chosen before.");
    return tokenizer;
}

} // namespace

Result<std::shared_ptr<const text::Tokenizer>> openTokenizer(const fs::path& modelFolder, const fs::path& named,
                                                             const std::function<void(const std::string&)>& notify)
{
    auto tokenizer = chosenTokenizer(modelFolder, named, notify);
    if (tokenizer.has_value() && notify)
        for (const std::string& warning : (*tokenizer)->warnings())
            notify(warning);
    return tokenizer;
}

} // namespace headscope::app
