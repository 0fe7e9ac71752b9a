#!/bin/bash
# Builds the image of the Containerfile with buildah and tries its command. Where the images of Debian cannot be
# fetched, the bare Debian that chroot.sh made stands in for them. Needs root and a network.
# Usage: container.sh
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
source=$(dirname "$(dirname "$here")")
base=$source/build/chroot/bookworm.tar
folder=$(mktemp -d)
container=
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$container" ] || buildah rm "$container" >/dev/null
  rm -rf "$folder"
}
trap cleanup EXIT

if [ -e "$base" ]; then
  for name in debian:12 debian:12-slim; do
    buildah inspect --type image "docker.io/library/$name" >/dev/null 2>&1 && continue
    stand_in=$(buildah from scratch)
    buildah add -q "$stand_in" "$base" / >/dev/null
    buildah commit -q --rm "$stand_in" "docker.io/library/$name" >/dev/null
  done
fi
# What was compiled before is not compiled again.
cache=()
if command -v ccache >/dev/null; then cache=(--volume "$(ccache --get-config cache_dir):/root/.cache/ccache"); fi
buildah build --isolation chroot --network host --pull-never "${cache[@]}" -t commonplace "$source"
buildah images commonplace

container=$(buildah from --pull-never localhost/commonplace)
mapfile -t command < <(buildah inspect --type image --format '{{range .OCIv1.Config.Cmd}}{{println .}}{{end}}' localhost/commonplace | sed '/^$/d')
echo "Its command: ${command[*]}"
run() { buildah run --isolation chroot --network host "$@"; }
! run "$container" -- "${command[@]}" 2>"$folder/refused" || { echo "FAILED: it serves others without a token" >&2; exit 1; }
cat "$folder/refused"
run --env COMMONPLACE_TOKEN=long-enough "$container" -- "${command[@]}" &
server=$!
tries=0
until curl -s -o "$folder/page" http://127.0.0.1:5000/; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { echo "FAILED: nobody answers" >&2; exit 1; }
  sleep 0.2
done
echo "The page has $(wc -c <"$folder/page") bytes"
status() { curl -s -o /dev/null -w '%{http_code}' "$@" http://127.0.0.1:5000/v1/library; }
echo "Without the token: $(status); with it: $(status -H 'Authorization: Bearer long-enough')"
[ "$(status)" = 401 ]
[ "$(status -H 'Authorization: Bearer long-enough')" = 200 ]
