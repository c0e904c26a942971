#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the pictures of the README with the program itself, without a display. The head that is switched off is the one
# that the program's own ranking finds.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${1:-build/release/app}
mkdir -p resources/pictures
session=$(mktemp -u --suffix .headscope)
trap 'rm -f "$session" "$session"-wal "$session"-shm' EXIT
head=$("$programs/headscope-cli" --quiet rank tiny-transformer --task toy_kv:pairs=8 --limit 64 --top 1 --json |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["heads"][0]["head"])')
QT_QPA_PLATFORM=offscreen "$programs/headscope" tiny-transformer --session "$session" --picture resources/pictures/window.png --off "$head"
echo "resources/pictures/window.png shows tiny-transformer without $head"
