// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The post-processors of tokenizer.json: special tokens around a text, and trimmed offsets. Immutable: any thread.

#include "core/text/tokenizer.h"

#include <string>
#include <vector>

namespace headscope::text {

/// One element of a template: the text, or special tokens.
struct TemplatePart {
    bool isText = false;
    std::vector<int> ids;
    std::vector<std::string> tokens; ///< one per id
};

class PostProcessor
{
public:
    /// Excludes white space at the ends of tokens from their offsets (GPT-2's trim_offsets). A single space before the
    /// first token stays if `addPrefixSpace` put it there.
    void addTrim(bool addPrefixSpace);
    void addTemplate(std::vector<TemplatePart> parts);

    void process(Encoding& encoding, bool addSpecial) const;
    /// Return the template's ids before and after the text.
    [[nodiscard]] std::vector<int> idsBeforeText() const;
    [[nodiscard]] std::vector<int> idsAfterText() const;

private:
    struct Step {
        bool trims = false;
        bool addPrefixSpace = false;
        std::vector<TemplatePart> parts;
    };
    std::vector<Step> m_steps;
};

} // namespace headscope::text
