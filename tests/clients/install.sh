#!/bin/sh
# Install the agent programs pinned in package.json into .clients/ at the project's root.
# Without npm: one line, nothing installed, status 0; the tests then skip.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
place=${TRUEPATH_CLIENTS:-$here/../../.clients}

if ! command -v npm >/dev/null 2>&1; then
    echo "clients: npm is not installed, so no agent program is tested"
    exit 0
fi

mkdir -p "$place"
if [ -e "$place/.installed" ] && cmp -s "$here/package-lock.json" "$place/.installed"; then
    exit 0
fi
cp "$here/package.json" "$here/package-lock.json" "$place"
# Claude Code asks for Node 22 and does not need it: it is one native program.
npm ci --prefix "$place" --no-audit --no-fund --ignore-scripts --loglevel=error
(cd "$place/node_modules/@anthropic-ai/claude-code" && node install.cjs)
cp "$here/package-lock.json" "$place/.installed"
