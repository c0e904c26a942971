// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/manpage.h"

#include "app/workbench/exitcodes.h"

namespace headscope::cli {

namespace {

// Text as roff takes it: a hyphen is not a minus, and a line must not begin with a command.
std::string plain(const std::string& text)
{
    std::string made;
    for (const char c : text)
        made += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
    return made.starts_with('.') || made.starts_with('\'') ? "\\&" + made : made;
}

std::string heading(const std::string& page, const std::string& version, const std::string& purpose)
{
    std::string upper = page;
    for (char& c : upper)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return ".TH " + plain(upper) + " 1 \"\" \"headscope " + version + "\"\n.SH NAME\n" + plain(page) + " \\- "
           + plain(purpose) + "\n.SH SYNOPSIS\n";
}

std::string optionText(const app::OptionInfo& info, const std::string& meaning)
{
    std::string text = ".TP\n\\fB";
    if (info.letter)
        text += plain(std::string{'-', info.letter}) + "\\fR, \\fB";
    text += plain(std::string(info.name)) + "\\fR";
    if (!info.value.empty())
        text += " \\fI" + plain(std::string(info.value)) + "\\fR";
    text += "\n" + plain(meaning);
    if (info.takes == app::Takes::Choice)
        text += ": " + plain(std::string(info.choices));
    return text + "\n";
}

std::string commandText(const CommandInfo& command)
{
    std::string text = ".SS " + plain(command.name);
    for (const ArgumentUse& argument : command.arguments)
        text += argument.required ? " " + plain(argument.name) : " [" + plain(argument.name) + "]";
    text += "\n" + plain(command.meaning) + ".\n";
    for (const ArgumentUse& argument : command.arguments)
        text += ".TP\n\\fI" + plain(argument.name) + "\\fR\n" + plain(argument.meaning) + "\n";
    for (const OptionUse& option : command.options)
        if (option.info)
            text += optionText(*option.info, option.required ? option.meaning + " (required)" : option.meaning);
    return text;
}

std::string exitStatus()
{
    return ".SH EXIT STATUS\n" + plain(std::string(app::kExitCodes)) + "\n";
}

// What is remembered of a person's work, and how to leave it out of what is passed on.
std::string files()
{
    return ".SH FILES\n"
           ".TP\n\\fI~/.config/Headscope\\fR\nSettings: choices of the settings dialog, window layout, the last 50 "
           "prompts, the last sessions, and the tokenizers chosen for models.\n"
           ".TP\n\\fI~/.local/share/Headscope/Headscope/current.headscope\\fR\nThe session of the window if none "
           "was named: prompts, texts of examples, results, patterns, names, and the folders of models and "
           "tokenizers.\n.PP\nA session contains absolute paths. \\fBheadscope\\-cli session duplicate\\fR and "
           "\\fBexport\\fR with \\fB\\-\\-no\\-paths\\fR leave them out; prompts and texts stay.\n";
}

} // namespace

std::string commandLineManual(const std::vector<CommandInfo>& commands, const std::string& version)
{
    std::string text =
        heading("headscope-cli", version, "explore attention and SSM heads of language models without a display")
        + ".B headscope\\-cli\n.I COMMAND\n.RI [ ARGUMENT | OPTION ]...\n.SH DESCRIPTION\n"
        + "The same work as headscope(1) on the command line. A model is a folder in Hugging Face layout, "
          "an included model (tiny\\-transformer, tiny\\-ssm, tiny\\-hybrid), or org/name[@revision] in the "
          "local Hugging Face cache. Heads are written L2H5: layer 2, head 5, both counted from zero.\n";
    text += ".SH OPTIONS OF ALL COMMANDS\n";
    for (const OptionUse& option : commands.front().options)
        if (option.info)
            text += optionText(*option.info, option.meaning);
    text += ".SH COMMANDS\n";
    for (std::size_t i = 1; i < commands.size(); ++i)
        text += commandText(commands[i]);
    return text + exitStatus() + files() + ".SH SEE ALSO\n.BR headscope (1)\n";
}

std::string windowManual(const std::string& version)
{
    std::string text = heading("headscope", version, "explorer for attention and SSM heads of language models")
                       + ".B headscope\n.RI [ OPTION ]...\n.RI [ MODEL\n.RI [ MODEL_B ]]\n.SH DESCRIPTION\nShows what "
                         "each head of a language model reads, ablates heads, and measures the effect. MODEL is opened "
                         "as A, MODEL_B beside it: a folder in Hugging Face layout, an included model, or "
                         "org/name[@revision] in the local Hugging Face cache.\n.SH OPTIONS\n";
    for (const std::string_view name : app::windowOptions())
        if (const app::OptionInfo* info = app::findOption(name))
            text += optionText(*info, std::string(info->meaning));
    return text + exitStatus() + files() + ".SH SEE ALSO\n.BR headscope\\-cli (1)\n";
}

} // namespace headscope::cli
