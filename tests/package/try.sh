#!/bin/bash
# Goes from nothing to suggestions for photographs by the commands of the README, then to drawings and the page, with
# nothing but the program (on the path), the README, the photographs in ~/Pictures and what every Debian has.
# Usage: try.sh README.md
set -euo pipefail
readme=$1
library=$HOME/library
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true' EXIT
show() {
  printf '$ %s\n' "$*"
  bash -c "$*" 2>"$HOME/messages" || { cat "$HOME/messages" >&2; fail "it ended with $?"; }
}
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

mapfile -t commands < <(sed -n 's/^\$ \(commonplace .*\)/\1/p' "$readme")
[ "${#commands[@]}" -ge 5 ] || fail "the README has no quick start"
show commonplace --version
for command in "${commands[@]}"; do show "$command" | tee "$HOME/said" | grep -v '^[a-z]* [0-9].*  [0-9.]*$'; done
grep -q '% *sea$' "$HOME/said" || fail "sea is not suggested for a picture of it"

mkdir "$HOME/drawings"
for side in 10 20 30 40 50 60 70 80; do
  printf '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="%d" height="50"/>%s</svg>' \
    "$side" '<text x="5" y="90">letters</text>' >"$HOME/drawings/$side.svg"
done
show commonplace add "$library" drawings "$HOME/drawings"
show commonplace features "$library" drawings --image gist

echo '$ commonplace serve'
commonplace serve "$library" --port 0 --json >"$HOME/address" &
server=$!
until [ -s "$HOME/address" ]; do kill -0 "$server" || fail "the server ended"; sleep 0.1; done
port=$(sed -n 's/.*"http:[^"]*:\([0-9]*\)".*/\1/p' "$HOME/address")
get() { # path: the answer goes into a file
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$1" "$port" >&3
  cat <&3 >"$HOME/answer"
  exec 3>&-
  head -n 1 "$HOME/answer" | grep -q ' 200 ' || fail "$1 is answered $(head -n 1 "$HOME/answer")"
  echo "GET $1: 200, $(wc -c <"$HOME/answer") bytes"
}
get /
script=$(sed -n 's/.*src="\.\(\/[^"]*\.js\)".*/\1/p' "$HOME/answer")
[ -n "$script" ] || fail "the page has no script"
get "$script"
picture=$(cd "$HOME/Pictures" && find . -name '*.png' | sort | head -n 1 | sed 's|^\./||; s|/|%2F|g')
get "/v1/collections/photos/items/$picture/thumbnail"
get "/v1/collections/photos/items/$picture/suggestions"
grep -aq '"tag"' "$HOME/answer" || fail "the server suggests nothing"
kill "$server"
wait "$server" || fail "the server ended with $?"
server=
