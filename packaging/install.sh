#!/bin/sh
# Install the commands `truepath` and `truepath-hook` for this user, in an environment of their own:
# by uv or pipx where one is there, else with python3. A second run brings the newest version.
#
#   TRUEPATH_PACKAGE   what to install, as for pip (default: truepath)
#   TRUEPATH_VENV      where without uv and pipx (default: ~/.local/share/truepath-env)
set -eu

fail() {
    echo "truepath: $1" >&2
    exit 1
}

with_python() {
    folder=${TRUEPATH_VENV:-$HOME/.local/share/truepath-env}
    new='import sys; sys.exit(sys.version_info < (3, 10))'
    for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
        if "$python" -c "$new" 2>/dev/null; then
            "$python" -m venv "$folder" ||
                fail "$python makes no environment (Debian: apt install python3-venv)"
            "$folder/bin/python" -m pip install --quiet --upgrade "$1"
            mkdir -p "$HOME/.local/bin"
            for command in "$folder"/bin/truepath*; do
                ln -sf "$command" "$HOME/.local/bin/"
            done
            return
        fi
    done
    fail "needs Python 3.10 or newer, or uv (https://docs.astral.sh/uv/)"
}

# All is read before anything is done: a download that breaks off does nothing.
main() {
    package=${TRUEPATH_PACKAGE:-truepath}
    if command -v uv >/dev/null; then
        uv tool install --quiet --upgrade "$package"
    elif command -v pipx >/dev/null; then
        pipx install --force "$package" >/dev/null
    else
        with_python "$package"
    fi
    PATH=$HOME/.local/bin:$PATH
    command -v truepath >/dev/null || fail "installed, in a folder that is not in PATH"
    truepath --version
    echo "Next: truepath audit, and truepath install --help"
}

main
