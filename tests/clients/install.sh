#!/bin/sh
# Install the agent programs pinned in package.json into .clients/ at the project's root, and FastMCP.
# Without npm: one line, nothing installed, status 0; the tests then skip.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
place=${TRUEPATH_CLIENTS:-$here/../../.clients}

if ! command -v npm >/dev/null 2>&1; then
    echo "clients: npm is not installed, so no agent program is tested"
    exit 0
fi

mkdir -p "$place"
if [ -e "$place/.installed" ] && cmp -s "$here/package.json" "$place/.installed"; then
    exit 0
fi
cp "$here/package.json" "$place"
# No lock file: npm 11 leaves the packages of other platforms out of one, and then refuses it.
# Claude Code and Copilot ask for Node 22 and run on 20; pi needs 22, which comes along for Linux.
npm install --prefix "$place" --no-package-lock --no-audit --no-fund --ignore-scripts \
    --loglevel=error
# These two are native programs that a script of the package puts in their place.
(cd "$place/node_modules/@anthropic-ai/claude-code" && node install.cjs)
(cd "$place/node_modules/opencode-ai" && node postinstall.mjs)
# A client and a server of MCP, which is no program of npm's.
"${UV:-uv}" venv -q --clear -p "${PYTHON:-python3}" "$place/fastmcp"
"${UV:-uv}" pip install -q -p "$place/fastmcp" "fastmcp==4.1.2"
cp "$here/package.json" "$place/.installed"
