// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tours/tour.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace headscope::gui {

namespace {

constexpr int kMostMinutes = 24 * 60; // of an exam

/// Long texts are lists of lines in the file, so that people can read it.
QString joinedLines(const QJsonValue& value)
{
    if (!value.isArray())
        return value.toString();
    QStringList lines;
    for (const QJsonValue& line : value.toArray())
        lines.append(line.toString());
    return lines.join(QLatin1Char('\n'));
}

QStringList jsonList(const QJsonValue& value)
{
    QStringList list;
    for (const QJsonValue& item : value.toArray())
        list.append(item.toString());
    return list;
}

TourScene sceneOf(const QJsonObject& json)
{
    const QJsonObject show = json[QLatin1String("show")].toObject();
    TourScene scene{.sample = show[QLatin1String("sample")].toString(),
                    .head = {show[QLatin1String("head")].toString(), show[QLatin1String("headB")].toString()},
                    .off = {show[QLatin1String("off")].toString(), show[QLatin1String("offB")].toString()},
                    .coloured = json[QLatin1String("coloured")].toBool(),
                    .cover = jsonList(json[QLatin1String("cover")]),
                    .point = json[QLatin1String("point")].toString(),
                    .reveal = {}};
    if (const QJsonValue reveal = json[QLatin1String("reveal")]; reveal.isObject())
        scene.reveal = {reveal[QLatin1String("off")].toString(), reveal[QLatin1String("offB")].toString()};
    return scene;
}

QList<TourClaim> claimsOf(const QJsonObject& json)
{
    QList<TourClaim> claims;
    for (const QJsonValue& value : json[QLatin1String("claims")].toArray()) {
        const QJsonObject claim = value.toObject();
        claims.append({.side = claim[QLatin1String("side")].toString() == QLatin1String("B") ? Side::B : Side::A,
                       .off = claim[QLatin1String("off")].toString(),
                       .benchmark = claim[QLatin1String("benchmark")].toString(),
                       .low = claim[QLatin1String("low")].toDouble(0),
                       .high = claim[QLatin1String("high")].toDouble(1),
                       .control = claim[QLatin1String("control")].toBool()});
    }
    return claims;
}

QList<TourEdgeClaim> edgeClaimsOf(const QJsonObject& json)
{
    QList<TourEdgeClaim> claims;
    for (const QJsonValue& value : json[QLatin1String("edges")].toArray())
        claims.append({.from = value[QLatin1String("from")].toString(),
                       .into = value[QLatin1String("into")].toString(),
                       .exchange = value[QLatin1String("exchange")].toString(),
                       .low = value[QLatin1String("low")].toDouble(0),
                       .high = value[QLatin1String("high")].toDouble(1)});
    return claims;
}

QList<TourScoreClaim> scoreClaimsOf(const QJsonObject& json)
{
    QList<TourScoreClaim> claims;
    for (const QJsonValue& value : json[QLatin1String("scores")].toArray())
        claims.append({.head = value[QLatin1String("head")].toString(),
                       .writer = value[QLatin1String("writer")].toString(),
                       .side = value[QLatin1String("side")].toString(),
                       .low = value[QLatin1String("low")].toDouble(),
                       .high = value[QLatin1String("high")].toDouble()});
    return claims;
}

// Of the sample that the step shows; else of the prompt that was typed last.
QList<TourOutput> outputsOf(const QJsonObject& json, const TourScene& scene, const QString& typed)
{
    QList<TourOutput> outputs;
    for (const QJsonValue& value : json[QLatin1String("says")].toArray())
        outputs.append({.side = value[QLatin1String("side")].toString() == QLatin1String("B") ? Side::B : Side::A,
                        .off = value[QLatin1String("off")].toString(),
                        .sample = scene.sample,
                        .text = scene.sample.isEmpty() ? typed : QString(),
                        .like = value[QLatin1String("like")].toString(),
                        .low = value[QLatin1String("low")].toDouble(0),
                        .high = value[QLatin1String("high")].toDouble(1)});
    return outputs;
}

Result<TourExercise> exerciseOf(const QJsonObject& json)
{
    TourExercise exercise;
    for (const QJsonValue& value : json[QLatin1String("check")].toArray()) {
        const auto condition = readCondition(value);
        if (!condition.has_value())
            return condition.error();
        exercise.conditions.append(*condition);
    }
    const QJsonObject solution = json[QLatin1String("solution")].toObject();
    exercise.solution = {solution[QLatin1String("off")].toString(), solution[QLatin1String("offB")].toString()};
    exercise.look = {solution[QLatin1String("head")].toString(), solution[QLatin1String("headB")].toString()};
    return exercise;
}

Result<widgets::TourStep> stepOf(const QJsonObject& json)
{
    widgets::TourStep step{.title = json[QLatin1String("title")].toString(),
                           .text = joinedLines(json[QLatin1String("text")])};
    if (step.title.isEmpty() || step.text.isEmpty())
        return inputError("a step needs a title and a text");
    for (const QJsonValue& value : json[QLatin1String("actions")].toArray())
        step.actions.append({value[QLatin1String("do")].toString(), value[QLatin1String("text")].toString()});
    step.question = json[QLatin1String("question")].toString();
    step.exercise = !json[QLatin1String("check")].toArray().isEmpty();
    step.writing = json[QLatin1String("write")].toBool();
    for (const QJsonValue& answer : json[QLatin1String("answers")].toArray())
        step.answers.append(answer.toString());
    step.why = jsonList(json[QLatin1String("why")]);
    step.rightAnswer = json[QLatin1String("right")].toInt(-1);
    step.explanation = joinedLines(json[QLatin1String("explanation")]);
    if (!step.question.isEmpty() && (step.rightAnswer < 0 || step.rightAnswer >= step.answers.size()))
        return inputError("the question of step '" + step.title.toStdString() + "' has no right answer");
    return step;
}

/// Exercises have none; nothing for a name that is not known.
std::optional<widgets::OfferPicture> sketchOf(const QString& name)
{
    using widgets::OfferPicture;
    static const QHash<QString, OfferPicture> pictures{{QString(), OfferPicture::None},
                                                       {QStringLiteral("heads"), OfferPicture::Heads},
                                                       {QStringLiteral("maps"), OfferPicture::Maps},
                                                       {QStringLiteral("curves"), OfferPicture::Curves},
                                                       {QStringLiteral("graph"), OfferPicture::Graph},
                                                       {QStringLiteral("words"), OfferPicture::Words}};
    const auto found = pictures.find(name);
    return found == pictures.end() ? std::nullopt : std::optional(*found);
}

} // namespace

Result<Tour> readTour(const QString& file)
{
    const auto broken = [&](const std::string& why) {
        return inputError("'" + file.toStdString() + "' cannot be read: " + why + ".");
    };
    QFile in(file);
    if (!in.open(QIODevice::ReadOnly))
        return broken(in.errorString().toStdString());
    QJsonParseError error;
    const QJsonObject json = QJsonDocument::fromJson(in.readAll(), &error).object();
    if (error.error != QJsonParseError::NoError)
        return broken(error.errorString().toStdString());
    Tour tour{.id = QFileInfo(file).baseName(),
              .title = json[QLatin1String("title")].toString(),
              .summary = json[QLatin1String("summary")].toString()};
    for (const QJsonValue& model : json[QLatin1String("models")].toArray())
        tour.models.append(model.toString());
    const auto picture = sketchOf(json[QLatin1String("picture")].toString());
    if (!picture)
        return broken("its picture is not one of heads, maps, curves, graph, words");
    tour.picture = *picture;
    if (const QJsonValue minutes = json[QLatin1String("minutes")]; !minutes.isUndefined()) {
        tour.minutes = minutes.toDouble();
        if (!(tour.minutes > 0 && tour.minutes <= kMostMinutes))
            return broken("\"minutes\" is not a number above 0 and up to " + std::to_string(kMostMinutes));
    }
    QString typed;
    for (const QJsonValue& value : json[QLatin1String("steps")].toArray()) {
        const auto step = stepOf(value.toObject());
        if (!step.has_value())
            return broken(step.error().message);
        const auto exercise = exerciseOf(value.toObject());
        if (!exercise.has_value())
            return broken(exercise.error().message);
        tour.steps.append(*step);
        tour.exercises.append(*exercise);
        tour.scenes.append(sceneOf(value.toObject()));
        tour.claims.append(claimsOf(value.toObject()));
        tour.edgeClaims.append(edgeClaimsOf(value.toObject()));
        tour.scoreClaims.append(scoreClaimsOf(value.toObject()));
        for (const auto& action : tour.steps.last().actions)
            if (action.id.startsWith(QLatin1String("type ")))
                typed = action.id.sliced(5);
        tour.outputs.append(outputsOf(value.toObject(), tour.scenes.last(), typed));
    }
    if (tour.title.isEmpty() || tour.models.isEmpty() || tour.steps.isEmpty())
        return broken("it needs a title, models and steps");
    return tour;
}

Result<Tour> readTranslated(const QString& file, const QString& locale)
{
    const QFileInfo named(file);
    const QString translated = named.path() + QLatin1Char('/') + named.completeBaseName() + QLatin1Char('.')
                               + locale.section(QLatin1Char('_'), 0, 0) + QLatin1Char('.') + named.suffix();
    return readTour(QFileInfo(translated).isFile() ? translated : file);
}

bool hasExercises(const Tour& tour)
{
    return std::any_of(tour.steps.begin(), tour.steps.end(),
                       [](const widgets::TourStep& step) { return step.exercise || step.writing; });
}

QList<Tour> toursIn(const QString& folder, const QString& locale)
{
    QList<Tour> tours;
    const QDir dir(folder);
    for (const QString& name : dir.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name)) {
        const QString id = QFileInfo(name).baseName();
        if (name != id + QLatin1String(".json"))
            continue; // a translation
        auto tour = readTranslated(dir.filePath(name), locale);
        if (tour.has_value())
            tours.append(*tour);
    }
    return tours;
}

widgets::TourStep withHeads(widgets::TourStep step, const FoundHeads& found)
{
    const std::pair<QString, QString> names[] = {
        {QStringLiteral("{gather}"), QCoreApplication::translate("Tour", "the gather head")},
        {QStringLiteral("{aggregate}"), QCoreApplication::translate("Tour", "the aggregate head")},
        {QStringLiteral("{gatherB}"), QCoreApplication::translate("Tour", "B's gather head")},
        {QStringLiteral("{aggregateB}"), QCoreApplication::translate("Tour", "B's aggregate head")},
    };
    const auto words = [&](QString& text) {
        for (const auto& [name, otherwise] : names)
            text.replace(name, found.value(name).isEmpty() ? otherwise : found.value(name));
    };
    for (QString* text : {&step.title, &step.text, &step.question, &step.explanation})
        words(*text);
    for (QString& why : step.why)
        words(why);
    for (QString& answer : step.answers)
        words(answer);
    for (widgets::TourAction& action : step.actions)
        words(action.text);
    return step;
}

std::optional<QString> resolved(QString heads, const FoundHeads& found)
{
    for (auto it = found.begin(); it != found.end(); ++it) {
        if (!heads.contains(it.key()))
            continue;
        if (it.value().isEmpty())
            return {};
        heads.replace(it.key(), it.value());
    }
    return heads;
}

} // namespace headscope::gui
