// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzz target: the input is a benchmark's config in YAML. What is refused is one sentence, what is accepted is an
// object that can be written.

#include "core/tasks/import/harnessyaml.h"
#include "core/tasks/import/yaml.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace headscope;

namespace {

void require(bool holds, const char* what)
{
    if (holds)
        return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto document = tasks::readYaml(text);
    const auto task = tasks::taskOfYaml(text, "input.yaml");
    if (!task.has_value()) {
        require(task.error().message.ends_with('.') && task.error().message.find('\n') == std::string::npos,
                "an error that is no sentence");
        return 0;
    }
    require(document.has_value() && document->value.is_object() && task->keys.is_object(), "a task that is no mapping");
    require(!task->keys.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).empty(), "a task without text");
    return 0;
}
