#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the pictures of the README with the program itself, without a display, in a light and a dark window. The heads that
# are ablated are those that the program's own ranking finds.
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
