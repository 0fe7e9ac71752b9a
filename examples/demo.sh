#!/usr/bin/env bash
# The main job from end to end on real data: Debian's Open Clip Art (drawings with the noisy tags of
# hundreds of authors), OpenMoji (emoji with careful tags) and Debian's own package descriptions with
# their debtags. Learns every model, prints what they are worth, and shows the page.
# Usage: examples/demo.sh PROGRAM FOLDER EMOJI
# With COMMONPLACE_DEMO=once in the environment, or without a terminal, the page is only tried.
set -euo pipefail
program=$(readlink -f "$1")
folder=$2
emoji=$3
pictures=${COMMONPLACE_DEMO_PICTURES:-/usr/share/openclipart/svg}
here=$(dirname "$(readlink -f "$0")")
library=$folder/library

show() {
  printf '\n\033[1m$ commonplace %s\033[0m\n' "$*"
  "$program" "$@"
}

# A library that is complete is kept; one that is not, or that an earlier demo made, is begun again.
complete=$folder/complete-2
if [ ! -e "$complete" ]; then
  rm -rf "$library"
  mkdir -p "$folder"
  "$here/demo_data.py" "$emoji" "$folder"
  show init "$library"
  show add "$library" clipart "$pictures" --labels-from-folders || [ $? -eq 3 ]
  show add "$library" emoji "$folder/emoji.jsonl" --root "$emoji/color/svg"
  show add "$library" packages "$folder/packages.jsonl"
  show list "$library"
  show learn "$library" search --target clipart --auxiliary emoji
  show learn "$library" search --target emoji --auxiliary clipart
  show learn "$library" suggest --collection clipart --prototypes 10%
  show learn "$library" suggest --collection packages --prototypes 10%
  show features "$library" clipart --tags --plsa --topics 96 --min-documents 2 --iterations 50 --name subjects
  show learn "$library" detect --collection clipart --features subjects --concepts-from folder --min-uses 60 --representation raw
  show learn "$library" relate --collections clipart/text,clipart/tags,emoji/text,emoji/tags
  show evaluate suggest "$library" --collection clipart --methods combined --baselines logistic,popular --prototypes 10%
  show evaluate search "$library" --target clipart --auxiliary emoji --queries 60
  show transfer "$library" --source emoji --target clipart --label-field group --direct --dry-run
  touch "$complete"
fi
show list "$library"
show search "$library" "sailing boat" --limit 5
show suggest "$library" --model suggest.clipart --text "an old sailing boat in the harbour" --explain
show suggest "$library" --model suggest.packages --text "a viewer for maps and satellite pictures"
show suggest "$library" --model suggest.clipart --text "qwertyuiop"
show detect "$library" food/fruit --limit 5
show relate "$library" --tag boat --limit 5
printf '\nThe library is in %s.\n' "$library"
if [ -t 1 ] && [ "${COMMONPLACE_DEMO:-}" != once ]; then
  show serve "$library" --allow-import "$HOME"
else
  "$here/try_page.py" "$program" "$library"
fi
