#!/bin/sh
# Answers one hook event where truepath is installed, and says nothing elsewhere. It becomes the
# client, so that ending it ends the client; whoever calls it must not pass its status on.
for client in truepath-native truepath-hook; do
    if command -v "$client" >/dev/null 2>&1; then
        exec "$client" gemini
    fi
done
if command -v truepath >/dev/null 2>&1; then
    exec truepath hook gemini
fi
