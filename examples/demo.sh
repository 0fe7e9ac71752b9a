#!/usr/bin/env bash
# The main job from end to end on real pictures: Debian's Open Clip Art, 8,000 drawings with the
# noisy tags of hundreds of authors. Usage: examples/demo.sh PROGRAM FOLDER
set -euo pipefail
program=$(readlink -f "$1")
folder=$2
pictures=${COMMONPLACE_DEMO_PICTURES:-/usr/share/openclipart/svg}
library=$folder/library

show() {
  printf '\n\033[1m$ commonplace %s\033[0m\n' "$*"
  "$program" "$@"
}

mkdir -p "$folder"
[ -d "$library" ] || show init "$library"
show add "$library" clipart "$pictures" --labels-from-folders || [ $? -eq 3 ]
show list "$library"
show list "$library" clipart --tags --limit 10
show features "$library" clipart --tags --min-documents 3
show features "$library" clipart --tags --plsa --topics 20 --min-documents 3 --iterations 50
show learn "$library" search --target clipart
show search "$library" "sailing boat" --limit 5
show search "$library" "(cat or dog) -cartoon" --limit 3 --explain
show topics "$library" --limit 5 --terms 6 --examples 1
show learn "$library" suggest --collection clipart --prototypes 10%
show suggest "$library" --text "an old sailing boat in the harbour" --explain
show suggest "$library" --text "qwertyuiop"
show apply "$library" --collection clipart --above 0.9 --dry-run
show learn "$library" relate --collections clipart/text,clipart/tags
show relate "$library" --tag boat --limit 5
show relate "$library" --same-tags --limit 5
show cluster "$library" --k 5 --limit 4
show map "$library" --out "$folder/map.html"
first=$("$program" list "$library" clipart --limit 1 --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["id"])')
show tag "$library" clipart "$first" --add "demo/first picture"
show show "$library" clipart "$first"
show suggest "$library" --item "$first" --limit 5
show search "$library" --like "$first" --limit 3
show export "$library" clipart --out "$folder/clipart.jsonl"
printf '\nThe library is in %s, the export in %s, the map in %s.\n' "$library" "$folder/clipart.jsonl" \
  "$folder/map.html"
