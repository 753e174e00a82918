#!/bin/sh
# Answers one hook event: by truepath where it is installed, else by guide.sh. Its status is
# always 0, because 2 blocks the call.
host=${1:-claude-code}
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 0

# What a project has the interpreter look for modules in must not stand in for them here.
unset PYTHONPATH PYTHONHOME

# The native client alone could only be silent: what it cannot tell it asks the other one.
if command -v truepath-hook >/dev/null 2>&1; then
    client=truepath-hook
    command -v truepath-native >/dev/null 2>&1 && client=truepath-native
    "$client" "$host"
    exit 0
fi
sh "$here/guide.sh"
exit 0
