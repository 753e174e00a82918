#!/bin/sh
# Answers one hook event if truepath is installed; else prints nothing. It execs the client, so that
# ending it ends the client; its caller must ignore the status.

# Modules from a project's PYTHONPATH must not shadow truepath's.
unset PYTHONPATH PYTHONHOME

# The native client needs the Python client, which it asks in any doubt.
if command -v truepath-hook >/dev/null 2>&1; then
    client=truepath-hook
    command -v truepath-native >/dev/null 2>&1 && client=truepath-native
    exec "$client" gemini
fi
if command -v truepath >/dev/null 2>&1; then
    exec truepath hook gemini
fi
