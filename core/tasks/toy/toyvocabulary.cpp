// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/toy/toyvocabulary.h"

#include "core/tasks/toy/toyrandom.h"

#include <array>

namespace headscope::tasks::toy {

namespace {

// A table, kept in rows that a person can read.
// clang-format off
constexpr std::array<std::string_view, WordCount> kWords = {
    // marks, letters and words of the sentences
    "<s>", "\n", ":", "?", ".", "A", "B", "C", "D", "Answer", "The", "value", "of", "the", "key", "is",
    "Memorize", "dictionary", "Question",
    // relations
    "color", "home", "food",
    // entities
    "Ada", "Agnes", "Albert", "Alice", "Amir", "Anna", "Anton", "Arthur", "Astrid", "Barbara", "Ben", "Bruno",
    "Carla", "Carlos", "Carmen", "Clara", "Daniel", "David", "Diana", "Diego", "Edith", "Elena", "Eli",
    "Elsa", "Emil", "Emma", "Erik", "Eva", "Felix", "Fiona", "Frank", "Frida", "George", "Gina", "Greta",
    "Hana", "Hans", "Helen", "Henry", "Hugo", "Ida", "Igor", "Ines", "Irene", "Isaac", "Ivan", "Jack", "Jana",
    "Jasper", "Joan", "Jonas", "Julia", "Karim", "Karl", "Kate", "Kenji", "Lara", "Laura", "Lena", "Leo",
    "Lina", "Louis", "Lucy", "Luis", "Maya", "Marco", "Maria", "Martha", "Max", "Mia", "Milan", "Mona",
    "Nadia", "Nils", "Nina", "Noah", "Nora", "Olaf", "Olga", "Oscar", "Otto", "Pablo", "Paul", "Petra",
    "Priya", "Ralf", "Rita", "Robert", "Rosa", "Ruth", "Samir", "Sara", "Simon", "Sofia", "Theo", "Tina",
    "Tom", "Vera", "Victor", "Walter",
    // attributes: colors, homes, foods
    "red", "blue", "green", "yellow", "black", "white", "grey", "brown", "pink", "purple", "crimson",
    "violet", "turquoise", "scarlet", "indigo", "maroon", "beige", "ivory", "silver", "golden", "magenta",
    "teal", "amber", "lavender",
    "Paris", "London", "Berlin", "Madrid", "Rome", "Vienna", "Oslo", "Lisbon", "Athens", "Dublin", "Prague",
    "Warsaw", "Cairo", "Nairobi", "Lagos", "Delhi", "Tokyo", "Seoul", "Beijing", "Sydney", "Toronto",
    "Boston", "Lima", "Havana",
    "bread", "cheese", "rice", "soup", "pasta", "pizza", "salad", "apples", "bananas", "cherries", "grapes",
    "carrots", "potatoes", "tomatoes", "beans", "nuts", "honey", "yogurt", "pancakes", "noodles", "dumplings",
    "chocolate", "cake", "eggs",
    // first words of keys
    "brave", "calm", "clever", "eager", "gentle", "happy", "jolly", "kind", "lively", "proud", "quick",
    "quiet", "shy", "silly", "sleepy", "tall", "tiny", "wise", "young", "old", "loud", "bold", "fancy",
    "fierce", "friendly", "funny", "grumpy", "hungry", "lazy", "lucky", "merry", "neat", "noisy", "polite",
    "rude", "sharp", "slow", "small", "smart", "soft", "strong", "sweet", "swift", "warm", "wild", "witty",
    "busy", "cozy",
    // second words of keys
    "badger", "bat", "bear", "beaver", "bison", "camel", "cat", "cheetah", "cow", "crane", "crow", "deer",
    "dog", "dolphin", "donkey", "eagle", "elk", "falcon", "ferret", "fox", "frog", "giraffe", "goat",
    "hamster", "hare", "hawk", "horse", "kangaroo", "koala", "lion", "llama", "lynx", "mole", "monkey",
    "moose", "mouse", "otter", "owl", "panda", "parrot", "penguin", "pony", "rabbit", "seal", "sheep",
    "tiger", "wolf", "zebra",
    // values
    "00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15", "16",
    "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32", "33",
    "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47", "48", "49", "50",
    "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63", "64", "65", "66", "67",
    "68", "69", "70", "71", "72", "73", "74", "75", "76", "77", "78", "79", "80", "81", "82", "83", "84",
    "85", "86", "87", "88", "89", "90", "91", "92", "93", "94", "95", "96", "97", "98", "99",
};
// clang-format on

constexpr std::uint64_t kFactSeed = 1234;

using FactTable = std::array<std::array<int, kEntities>, kRelations>;

FactTable drawFacts()
{
    ToyRandom random(kFactSeed);
    FactTable table{};
    for (auto& relation : table)
        for (int& attribute : relation)
            attribute = random.below(kAttributes);
    return table;
}

} // namespace

std::span<const std::string_view> words()
{
    return kWords;
}

int fact(int relation, int entity)
{
    static const FactTable table = drawFacts();
    return table.at(static_cast<std::size_t>(relation)).at(static_cast<std::size_t>(entity));
}

} // namespace headscope::tasks::toy
