#!/bin/bash
# Goes from nothing to suggestions and the page, with nothing but the program, a folder of photographs (photos.py)
# and what every Debian has.
# Usage: try.sh PROGRAM PHOTOS
set -euo pipefail
program=$1
photos=$2
folder=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT
library=$folder/library

show() {
  printf '$ commonplace %s\n' "$*"
  "$program" "$@"
}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

show --version
show init "$library"
show add "$library" photos "$photos"
show features "$library" photos --image gist
show learn "$library" suggest --collection photos --features gist
for subject in sea forest field town; do
  show suggest "$library" --item "new_$subject.png" | tee "$folder/said"
  grep -q "% *$subject" "$folder/said" || fail "$subject is not suggested for new_$subject.png"
done

echo '$ commonplace serve'
"$program" serve "$library" --port 0 --json >"$folder/address" &
server=$!
until [ -s "$folder/address" ]; do kill -0 "$server" || fail "the server ended"; sleep 0.1; done
port=$(sed -n 's/.*"http:[^"]*:\([0-9]*\)".*/\1/p' "$folder/address")
get() { # path: the status and the body, into $folder/answer
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$1" "$port" >&3
  cat <&3 >"$folder/answer"
  exec 3>&-
  head -n 1 "$folder/answer" | grep -q ' 200 ' || fail "$1 is answered $(head -n 1 "$folder/answer")"
  echo "GET $1: 200, $(wc -c <"$folder/answer") bytes"
}
get /
script=$(sed -n 's/.*src="\.\(\/[^"]*\.js\)".*/\1/p' "$folder/answer")
[ -n "$script" ] || fail "the page has no script"
get "$script"
get /v1/collections/photos/items/sea.svg/thumbnail
get /v1/collections/photos/items/sea00.png/thumbnail
get /v1/collections/photos/items/new_sea.png/suggestions
grep -aq '"tag": *"sea"' "$folder/answer" || fail "the server does not suggest sea"
kill "$server"
wait "$server" || fail "the server ended with $?"
server=
