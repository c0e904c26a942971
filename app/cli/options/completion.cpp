// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/completion.h"

#include <array>
#include <map>
#include <utility>

namespace headscope::cli {

namespace {

constexpr const char* kShippedModels = "tiny-transformer tiny-ssm tiny-hybrid small-transformer small-ssm "
                                       "small-hybrid";

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

/// A first word, with the options of it and of its own commands, and the names of those.
struct Word {
    std::string meaning;
    std::vector<std::string> inner;
    std::map<std::string, OptionUse> options;
};

std::map<std::string, Word> wordsOf(const std::vector<CommandInfo>& commands)
{
    std::map<std::string, Word> words;
    for (const CommandInfo& command : commands) {
        const std::size_t blank = command.name.find(' ');
        Word& word = words[command.name.substr(0, blank)];
        if (blank == std::string::npos)
            word.meaning = command.meaning;
        else
            word.inner.push_back(command.name.substr(blank + 1));
        for (const OptionUse& option : command.options)
            if (option.info)
                word.options.emplace(option.name, option);
    }
    return words;
}

// The words that complete an option's value; empty: files, or nothing that could be listed.
std::string valueWords(const app::OptionInfo& info, const std::vector<std::string>& tasks)
{
    if (!info.choices.empty())
        return std::string(info.choices);
    return info.takes == app::Takes::Task ? joined(tasks) : info.takes == app::Takes::Model ? kShippedModels : "";
}

bool takesFiles(const app::OptionInfo& info)
{
    return info.takes == app::Takes::File || info.takes == app::Takes::Folder || info.takes == app::Takes::Model;
}

// In single quotes.
std::string inQuotes(const std::string& text)
{
    std::string made = "'";
    for (const char c : text)
        made += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return made + "'";
}

std::string optionNamesOf(const Word& word)
{
    std::vector<std::string> names;
    for (const auto& [name, use] : word.options)
        names.push_back(name);
    return joined(names);
}

std::string bashValues(const app::OptionInfo& info, const std::vector<std::string>& tasks)
{
    const std::string list = valueWords(info, tasks), name(info.name);
    std::string text = "    " + (info.letter ? std::string{'-', info.letter, '|'} + name : name) + ") COMPREPLY=(";
    if (!list.empty())
        text += "$(compgen -W " + inQuotes(list) + " -- \"$cur\") ";
    if (takesFiles(info))
        text += "$(compgen -f -- \"$cur\")";
    return text + "); return ;;\n";
}

void replaceAll(std::string& text, const std::string& mark, const std::string& by)
{
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size()))
        text.replace(at, mark.size(), by);
}

// A description between the brackets of zsh's _arguments.
std::string bracketed(const std::string& text)
{
    std::string made;
    for (const char c : text)
        made += (c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + std::string(1, c);
    return made;
}

std::string zshOption(const OptionUse& option, const std::vector<std::string>& tasks)
{
    const app::OptionInfo& info = *option.info;
    const std::string names = info.letter ? std::string("{-") + info.letter + "," + option.name + "}" : option.name;
    std::string rest = "[" + bracketed(option.meaning) + "]";
    if (info.takes != app::Takes::Nothing) {
        rest += ":" + std::string(info.value) + ":";
        const std::string values = valueWords(info, tasks);
        rest += !values.empty() ? "(" + values + ")" : takesFiles(info) ? "_files" : "";
    }
    return " '*'" + names + inQuotes(rest);
}

} // namespace

std::string bashCompletion(const std::vector<CommandInfo>& commands, const std::vector<std::string>& tasks)
{
    const auto words = wordsOf(commands);
    std::vector<std::string> names;
    std::string cases;
    for (const auto& [name, word] : words) {
        if (name.empty())
            continue;
        names.push_back(name);
        cases += "    " + name + ") inner=" + inQuotes(joined(word.inner)) + " options=" + inQuotes(optionNamesOf(word))
                 + " ;;\n";
    }
    std::string values;
    for (const app::OptionInfo& info : app::allOptions())
        if (info.takes != app::Takes::Nothing)
            values += bashValues(info, tasks);
    std::string script = "# bash completion of headscope-cli\n_headscope_cli()\n{\n"
                         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                         "  local word command= inner= options=\n"
                         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                         "    [[ \" NAMES \" == *\" $word \"* ]] && { command=$word; break; }\n  done\n"
                         "  case $prev in\nVALUES  esac\n  case $command in\nCASES  esac\n"
                         "  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"$options COMMON\" -- \"$cur\"))\n"
                         "  elif [[ -z $command ]]; then COMPREPLY=($(compgen -W 'NAMES' -- \"$cur\"))\n"
                         "  else COMPREPLY=($(compgen -W \"$inner MODELS\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
                         "  fi\n}\ncomplete -o filenames -F _headscope_cli headscope-cli\n";
    const std::array<std::pair<std::string, std::string>, 5> parts = {{{"VALUES", values},
                                                                       {"CASES", cases},
                                                                       {"COMMON", optionNamesOf(words.at(""))},
                                                                       {"MODELS", kShippedModels},
                                                                       {"NAMES", joined(names)}}};
    for (const auto& [mark, text] : parts)
        replaceAll(script, mark, text);
    return script;
}

std::string zshCompletion(const std::vector<CommandInfo>& commands, const std::vector<std::string>& tasks)
{
    const auto words = wordsOf(commands);
    std::string list, cases, common;
    for (const auto& [option, use] : words.at("").options)
        common += zshOption(use, tasks);
    for (const auto& [name, word] : words) {
        if (name.empty())
            continue;
        list += "    " + inQuotes(name + ":" + word.meaning) + "\n";
        cases += "    " + name + ") _arguments $common";
        for (const auto& [option, use] : word.options)
            cases += zshOption(use, tasks);
        cases += word.inner.empty()
                     ? " "
                           + inQuotes("*:argument:{_alternative \"models:included model:(" + std::string(kShippedModels)
                                      + ")\" \"files:file:_files\"}")
                     : " " + inQuotes("1:command:(" + joined(word.inner) + ")") + " " + inQuotes("*:argument:_files");
        cases += " ;;\n";
    }
    return "#compdef headscope-cli\nlocal -a commands common\nlocal state\ncommands=(\n" + list + ")\ncommon=(" + common
           + " )\n_arguments -C $common '1: :->command' '*:: :->rest'\ncase $state in\ncommand) _describe command "
             "commands "
             ";;\nrest)\n    case $words[1] in\n"
           + cases + "    esac ;;\nesac\n";
}

std::string fishCompletion(const std::vector<CommandInfo>& commands, const std::vector<std::string>& tasks)
{
    std::string script = "# fish completion of headscope-cli\n";
    for (const auto& [name, word] : wordsOf(commands)) {
        const std::string condition = name.empty() ? "" : " -n " + inQuotes("__fish_seen_subcommand_from " + name);
        if (!name.empty())
            script += "complete -c headscope-cli -n __fish_use_subcommand -a " + name + " -d " + inQuotes(word.meaning)
                      + "\n";
        for (const std::string& inner : word.inner)
            script += "complete -c headscope-cli" + condition + " -a " + inner + "\n";
        if (!name.empty() && word.inner.empty())
            script +=
                "complete -c headscope-cli" + condition + " -a " + inQuotes(kShippedModels) + " -d 'included model'\n";
        for (const auto& [option, use] : word.options) {
            script += "complete -c headscope-cli" + condition + " -l " + option.substr(2);
            if (use.info->letter)
                script += std::string(" -s ") + use.info->letter;
            if (use.info->takes != app::Takes::Nothing) {
                const std::string values = valueWords(*use.info, tasks);
                script += takesFiles(*use.info) ? " -r -F" : " -x";
                script += values.empty() ? "" : " -a " + inQuotes(values);
            }
            script += " -d " + inQuotes(use.meaning) + "\n";
        }
    }
    return script;
}

} // namespace headscope::cli
