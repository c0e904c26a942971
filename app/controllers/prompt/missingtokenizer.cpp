// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/prompt/missingtokenizer.h"

#include "app/notebook/tokenizerchoice.h"
#include "core/io/modelfolder.h"
#include "core/io/resources.h"

#include <QFileInfo>

namespace headscope::gui {

namespace {

std::filesystem::path folderWithoutTokenizer(const QString& model)
{
    const auto folder =
        io::resolveModel(model.toStdString(), io::ModelPlaces::fromEnvironment(io::resourcesFolder() / "models"));
    return folder.has_value() && !app::hasTokenizer(folder->path) ? folder->path : std::filesystem::path();
}

} // namespace

bool lacksTokenizer(const QString& model)
{
    return !folderWithoutTokenizer(model).empty();
}

Result<void> rememberTokenizerOf(const QString& model, const QString& file)
{
    const QFileInfo chosen(file);
    // The folder holds more: how special tokens are added, and the merges of vocab.json.
    const bool usual =
        chosen.fileName() == QLatin1String("tokenizer.json") || chosen.fileName() == QLatin1String("vocab.json");
    const QString tokenizer = usual ? chosen.absolutePath() : chosen.absoluteFilePath();
    return app::rememberTokenizer(folderWithoutTokenizer(model), tokenizer.toStdString());
}

} // namespace headscope::gui
