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

# costliest MODEL: the head whose ablation costs most of retrieval.
costliest()
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
    python3 packaging/smallpng.py --colours 28 "$pictures/$name.png" "$pictures/$name-dark.png"
    echo "$pictures/$name.png and $pictures/$name-dark.png"
}

# gathers: the head of the Transformer that gathers most.
gathers()
{
    "$programs/headscope-cli" --quiet rank tiny-transformer --task toy_kv:pairs=8 --limit 64 --method gather --top 1 --json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["heads"][0]["head"])'
}

head=$(costliest tiny-transformer)
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
        picture "compare-$other" tiny-transformer "$other" --off "$head" --size 1240x800
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

# part NAME X,Y,W,H SIZE ARGUMENTS: a part of a window of that size, halved.
part()
{
    local name=$1 crop=$2 size=$3
    shift 3
    "$programs/headscope" "$@" --session "$scratch/part-$name.headscope" --look light --size "$size" --picture "$images/$name.png"
    python3 packaging/smallpng.py --half --crop "$crop" "$images/$name.png"
}

# figure SESSION NAME FIGURE [ROWS]: the figure as NAME.png, and of it the first rows of pixels only.
figure()
{
    "$programs/headscope-cli" --quiet figure "$scratch/$1.headscope" "$3" --width 80 --dpi 100 --no-provenance --caption " " -o "$images/$2.png"
    python3 packaging/smallpng.py ${4:+--rows "$4"} "$images/$2.png"
}

measure ssm rank tiny-ssm --task toy_kv
measure jacobian lens small-transformer --lens resources/models/small-transformer/jacobian-lens.pt --text "Ada has the lamp."
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
    aggregate=$(costliest "$model")
    measure two pattern "$model" --task toy_kv --sample 0 --head "$aggregate"
done
figure one head-map head-map
figure one scores scores
figure one ranking ranking
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
figure ssm head-map-ssm head-map
figure jacobian jacobian-lens lens
measure one score tiny-transformer --task toy_kv,toy_knowledge,toy_mc --ablate "$(gathers)"
figure one scores-grid scores-grid
figure one scores-bars scores-bars
part window 0,0,1100,300 1100x640 tiny-transformer --off "$head"
part maps 262,105,704,480 1240x800 tiny-transformer tiny-ssm --off "$head"
part welcome 0,40,1100,260 1100x760
part tour 0,400,1000,180 1000x640 --act tour=one-head
part experiments 0,20,1100,290 1100x560 tiny-transformer --act experiment
part why 40,80,960,440 1000x560 tiny-transformer --act "sample=toy_kv 0" --act why
part why-score 0,80,1000,300 1000x560 tiny-transformer --act "sample=toy_kv 0" --act score-parts
part steering 40,80,960,440 1000x560 tiny-transformer --act steering
part models 0,0,960,330 1100x760 tiny-transformer --act command=Models
part figures 0,0,1054,320 1200x800 tiny-transformer --off "$head" --act "command=Figure for a paper or a talk"
# A model with experts: the small random Mixtral of the tests, given as many words as the Transformer's tokenizer has.
mkdir "$scratch/experts"
cp resources/models/tiny-transformer/tokenizer*.json "$scratch/experts"
python3 - tests/data/golden/hub/mixtral "$scratch/experts" <<'PYTHON'
import json, random, struct, sys
source, out = sys.argv[1:]
words, body = 390, b""
config = json.load(open(source + "/config.json"))
data = open(source + "/model.safetensors", "rb").read()
size = struct.unpack("<Q", data[:8])[0]
table = {name: info for name, info in json.loads(data[8:8 + size]).items() if name != "__metadata__"}
random.seed(1)
for name, info in table.items():
    begin, end = info["data_offsets"]
    part = data[8 + size + begin:8 + size + end]
    if "embed" in name or "lm_head" in name:
        rows = [part[i:i + len(part) // info["shape"][0]] for i in range(0, len(part), len(part) // info["shape"][0])]
        part += b"".join(random.choice(rows) for _ in range(words - len(rows)))
        info["shape"][0] = words
    info["data_offsets"] = [len(body), len(body) + len(part)]
    body += part
header = json.dumps(table).encode()
open(out + "/model.safetensors", "wb").write(struct.pack("<Q", len(header)) + header + body)
json.dump(config | {"vocab_size": words}, open(out + "/config.json", "w"))
PYTHON
part experts 40,170,520,345 1000x560 "$scratch/experts" --act "sample=toy_kv 0" --act experts=0
"$programs/headscope" tiny-transformer tiny-ssm --off "$head" --session "$scratch/heads.headscope" --look light --picture "$images/heads.png"
python3 packaging/smallpng.py --crop 0,100,258,410 "$images/heads.png"
