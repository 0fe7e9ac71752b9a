#!/bin/bash
# Tries commonplace.service as a user of a booted Debian: it makes the library, serves the page to this machine, and
# can write to the home but not see its keys.
set -euo pipefail
useradd --shell /bin/bash me
chown -R me:me /home/me
install -d -o me -g me -m 700 /home/me/.ssh
loginctl enable-linger me
user() { runuser -u me -- env XDG_RUNTIME_DIR="/run/user/$(id -u me)" "$@"; }
until user systemctl --user is-system-running 2>/dev/null | grep -Eq 'running|degraded'; do sleep 0.2; done
user systemd-analyze --user --man=no verify /usr/lib/systemd/user/commonplace.service
user systemctl --user enable --now commonplace || {
  journalctl --no-pager --boot _UID="$(id -u me)"
  exit 1
}
ask() { # method, path, body
  exec 3<>/dev/tcp/127.0.0.1/5000 || return
  printf '%s %s HTTP/1.1\r\nHost: 127.0.0.1:5000\r\nContent-Type: application/json\r\n' "$1" "$2" >&3
  printf 'Content-Length: %d\r\nConnection: close\r\n\r\n%s' "${#3}" "$3" >&3
  cat <&3
  exec 3>&-
}
get() { ask GET "$1" ''; }
tries=0
until (get /health) >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { user systemctl --user status commonplace; journalctl -n 30; exit 1; }
  sleep 0.2
done
get / | head -n 1
get /v1/library | tail -n 1
echo
# A job is a process of its own, which decodes pictures and computes.
user commonplace add /home/me/commonplace photos /home/me/Pictures
ask POST /v1/jobs '{"task":"features","collection":"photos","name":"look","image":"gist"}' | head -n 1
get /v1/jobs/1/events | grep -A1 '^event: end' | tail -n 1 | tee /tmp/job
grep -Eq '"state": ?"done"' /tmp/job
get /v1/collections/photos/items/2019%2Fimg_020.png/thumbnail | head -n 1
# What the process may: as the kernel says, and as it sees the files.
pid=$(user systemctl --user show -P MainPID commonplace)
grep -E '^(NoNewPrivs|Seccomp|CapEff|CapBnd):' "/proc/$pid/status"
seen() { user nsenter --target "$pid" --user --mount --preserve-credentials "$@"; }
seen touch /home/me/x
for place in /etc/x /usr/x /home/me/.ssh/x; do
  ! seen touch "$place" || { echo "FAILED: it may write $place"; exit 1; }
done
user systemctl --user stop commonplace
[ "$(user systemctl --user show -P Result commonplace)" = success ]
user systemd-analyze --user --no-pager security commonplace | tail -n 1
echo "The service works"
