#!/bin/sh
# Answers one hook event where truepath is installed, and says nothing elsewhere. It becomes the
# client, so that ending it ends the client; whoever calls it must not pass its status on.

# What a project has the interpreter look for modules in must not stand in for them here.
unset PYTHONPATH PYTHONHOME

# The native client alone could only be silent: what it cannot tell it asks the other one.
if command -v truepath-hook >/dev/null 2>&1; then
    client=truepath-hook
    command -v truepath-native >/dev/null 2>&1 && client=truepath-native
    exec "$client" gemini
fi
if command -v truepath >/dev/null 2>&1; then
    exec truepath hook gemini
fi
