#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the pictures of the README and of the manual with the program itself, without a display, in a light and a dark window.
# The heads that are ablated are those that the program's own ranking finds.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${1:-build/release/app}
pictures=${2:-resources/pictures}
mkdir -p "$pictures"
# Settings and sessions of their own: nothing that a person has set shows in a picture.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export QT_QPA_PLATFORM=offscreen XDG_CONFIG_HOME="$scratch/config" XDG_DATA_HOME="$scratch/data" HF_HUB_CACHE="$scratch/hub" LC_ALL=C.UTF-8

# dearest MODEL: the head whose removal costs most retrieval.
dearest()
{
    "$programs/headscope-cli" --quiet rank "$1" --task toy_kv:pairs=8 --limit 64 --top 1 --json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["heads"][0]["head"])'
}

# picture NAME ARGUMENTS: NAME.png in a light and NAME-dark.png in a dark window.
picture()
{
    local name=$1
    shift
    "$programs/headscope" "$@" --session "$scratch/$name.headscope" --look light --picture "$pictures/$name.png"
    "$programs/headscope" "$@" --session "$scratch/$name-dark.headscope" --look dark --picture "$pictures/$name-dark.png"
    python3 packaging/smallpng.py --colours 64 "$pictures/$name.png" "$pictures/$name-dark.png"
    echo "$pictures/$name.png and $pictures/$name-dark.png"
}

head=$(dearest tiny-transformer)
picture welcome
picture window tiny-transformer --off "$head"
picture continuation tiny-transformer --off "$head" --act continue
picture flips tiny-transformer --off "$head" --act flips
picture tour --act tour=one-head
# 2,048 tokens: dictionaries one after another, and the question for a key in their middle. The shipped Transformer reads 1,024.
"$programs/headscope-cli" --json requests --task toy_kv:pairs=48 --limit 12 2>/dev/null | python3 -c '
import json, re, sys
dictionaries = [json.loads(line)["context"].split("\n") for line in sys.stdin]
lines, pairs = dictionaries[0][:1], [pair for dictionary in dictionaries for pair in dictionary[1:-1]]
tokens = lambda text: len(re.findall(r"\n|\S+", text))
question = ""
while tokens("\n".join(lines + [question])) < 2043:
    lines.append(pairs[len(lines)])
    question = "The value of the key " + lines[len(lines) // 2].split(" : ")[0] + " is"
print("\n".join(lines + [question]), end="")' > "$scratch/long.txt"
picture hybrid tiny-hybrid --act kinds
picture long tiny-ssm --act "text=$scratch/long.txt"
picture removal tiny-transformer --act removal
picture patching tiny-transformer tiny-ssm --act "sample=toy_kv:pairs=8 0" --act patching
# The demo page: a Transformer beside an SSM, with what explains one sample. $pictures/page.html is not kept in the repository.
study="$scratch/study.headscope"
for model in tiny-transformer tiny-ssm; do
    for analysis in lens attribute "patch --what heads"; do
        # shellcheck disable=SC2086 # an option of its own
        "$programs/headscope-cli" --quiet --session "$study" ${analysis%% *} "$model" --task toy_kv:pairs=8 --sample 0 ${analysis#"${analysis%% *}"} >"$scratch/told"
    done
done
"$programs/headscope-cli" --quiet page tiny-transformer tiny-ssm --session "$study" --story one-head -o "$pictures/page.html"
for look in light dark; do
    /usr/bin/python3 packaging/pagepicture.py "$pictures/page.html" "#off=$head&theme=$look" "$pictures/page$([ "$look" = light ] || echo -dark).png"
done
for other in tiny-ssm tiny-hybrid; do
    if [[ -f resources/models/$other/model.safetensors ]]; then
        picture "compare-$other" tiny-transformer "$other" --off "$head"
    fi
done

# The pictures of the manual, with 12 colours each: figures as `headscope-cli figure` draws them, and the window.
images=resources/manual/images
mkdir -p "$images"

# measure NAME COMMAND...: a measurement into the session of that name.
measure()
{
    local session="$scratch/$1.headscope"
    shift
    "$programs/headscope-cli" --quiet --session "$session" "$@" >"$scratch/printed"
}

# figure SESSION NAME FIGURE [ROWS]: the figure as NAME.png, and of it the first rows of pixels only.
figure()
{
    "$programs/headscope-cli" --quiet figure "$scratch/$1.headscope" "$3" --width 80 --dpi 100 --no-provenance --caption " " -o "$images/$2.png"
    python3 packaging/smallpng.py ${4:+--rows "$4"} "$images/$2.png"
}

measure one rank tiny-transformer --task toy_kv
measure one score tiny-transformer --task toy_kv,toy_knowledge,toy_mc --ablate "$head"
measure one attribute tiny-transformer --task toy_kv --sample 3
measure one patch tiny-transformer --task toy_kv --limit 32 --exchange binding --what heads
measure one edges tiny-transformer --receiver "$head.k" --task toy_kv --limit 8 --exchange binding
measure one knockout tiny-transformer --task toy_kv --sample 0 --queries 53 --keys 9
measure one weights tiny-transformer
measure one probe tiny-transformer --task toy_kv
for model in tiny-transformer tiny-ssm; do
    measure two rank "$model" --task toy_kv
    measure two score "$model" --task toy_kv:pairs=4,toy_kv:pairs=8,toy_kv:pairs=12,toy_kv:pairs=16,toy_kv:pairs=24
    measure two survey "$model" --task toy_kv
    measure two lens "$model" --text "The food of Bruno is"
    aggregate=$(dearest "$model")
    measure two pattern "$model" --task toy_kv --sample 0 --head "$aggregate"
done
figure one head-map head-map
figure one scores scores
figure one attribution attribution
figure one patching patching 238
figure one edges edges 300
figure one knockout knockout
figure one copying copying
figure one probe-retrieval probe-retrieval
figure two last-row last-row
figure two kv-curve kv-curve
figure two lens lens
figure two head-dots head-dots
"$programs/headscope" tiny-transformer tiny-ssm --off "$head" --session "$scratch/manual.headscope" --look light --picture "$images/window.png"
python3 packaging/smallpng.py --half --rows 660 "$images/window.png"
