// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/adapter.h"

#include "core/io/pythonjson.h"
#include "core/io/quote.h"
#include "core/io/textfile.h"

#include <nlohmann/json.hpp>

namespace headscope::io {

std::optional<std::string> adapterIn(const std::filesystem::path& folder)
{
    constexpr std::uint64_t kLargest = 1 << 20;
    const auto path = folder / "adapter_config.json";
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return {};
    const auto text = readTextFile(path, kLargest);
    const auto parsed = text.has_value() ? parsePythonJson(*text) : Result<nlohmann::json>(text.error());
    const auto said = [&](const char* key) {
        const bool there = parsed.has_value() && parsed->is_object() && parsed->contains(key);
        return there && parsed->at(key).is_string() ? parsed->at(key).get<std::string>() : std::string();
    };
    const std::string kind = said("peft_type"), base = said("base_model_name_or_path");
    const std::string name = kind.empty()     ? "an adapter"
                             : kind == "LORA" ? "a LoRA adapter"
                                              : "an adapter of the type " + inQuotes(kind);
    return name + (base.empty() ? " of a model that it does not name" : " of " + inQuotes(base));
}

Error adapterAlone(const std::filesystem::path& folder, const std::string& adapter)
{
    return inputError(
        "The folder " + inQuotes(folder.string()) + " holds " + adapter
        + ", not a model, and adapters are not read; merge it into its base (PEFT: merge_and_unload, then "
          "save_pretrained) and open the merged folder.");
}

} // namespace headscope::io
