#!/bin/sh
# The page's unit tests; 77 where what they need is not installed.
if [ ! -d "$1/node_modules" ]; then
  echo "skipped: run \"npm ci\" in app/web first"
  exit 77
fi
exec npm test --silent --prefix "$1"
