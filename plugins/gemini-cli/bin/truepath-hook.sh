#!/bin/sh
# Answers one hook event of a program with truepath if it is installed, else, for Claude Code, with
# guide.sh. It execs the client, so that ending it ends the client; its caller must ignore the status.

# Modules from a project's PYTHONPATH must not shadow truepath's.
unset PYTHONPATH PYTHONHOME

# Add to `projects`, after a line break, the outermost work tree around a folder, else the folder,
# and the main one of a linked work tree. A home folder is none.
add_project() {
    cd -P -- "$1" 2>/dev/null || return 0
    top=$PWD above=$PWD
    [ "$above" -ef "${HOME-}" ] && return 0
    while [ -n "$above" ] && ! [ "$above" -ef "${HOME-}" ]; do
        [ -e "$above/.git" ] && top=$above
        if [ -f "$above/.git" ]; then
            IFS= read -r main <"$above/.git"
            case $main in "gitdir: "*/.git/worktrees/*)
                main=${main#gitdir: }
                projects="$projects
${main%/.git/worktrees/*}" ;;
            esac
        fi
        above=${above%/*}
    done
    projects="$projects
$top"
}

# Whether the current folder is inside a project, or one that other users may write.
is_unsafe() {
    IFS='
'
    for project in $projects; do
        case $PWD/ in "$project"/*) return 0 ;; esac
    done
    [ -k . ] && return 0
    # What we may not write, others may not either. In the home folder no modes are looked at, for
    # each event would wait for `ls`.
    [ -w . ] || return 1
    case $PWD in "${HOME:-/}"/*) [ -O . ] && return 1 ;; esac
    up=$PWD above=.
    while [ -n "${up%/*}" ]; do
        up=${up%/*} above="$above
$up"
    done
    # In a sticky folder such as /tmp, each user has entries of his own. `ls` is not looked for in PATH.
    for line in $(command -p ls -ld $above 2>/dev/null); do
        case $line in d???????w[!tT]*) return 0 ;; esac
    done
    return 1
}

# Set `found` to the first program of a name in PATH that no project can have put there: the rules of
# truepath.project.search_path, as far as a shell can tell.
find_program() {
    found='' folders=$PATH:
    while [ -n "$folders" ]; do
        folder=${folders%%:*} folders=${folders#*:}
        case $folder in /*) ;; *) continue ;; esac
        [ -f "$folder/$1" ] && [ -x "$folder/$1" ] && cd -P -- "$folder" 2>/dev/null || continue
        is_unsafe && continue
        found=$folder/$1
        return
    done
}

host=${1:-claude-code}
case $0 in /*) here=${0%/*} ;; *) here=$PWD/${0%/*} ;; esac
start=$PWD
projects=
set -f
for folder in "$start" "${CLAUDE_PROJECT_DIR-}" "${COPILOT_PROJECT_DIR-}" \
    "${GEMINI_PROJECT_DIR-}" "${QWEN_PROJECT_DIR-}"; do
    [ -z "$folder" ] || add_project "$folder"
done

find_program truepath-hook
client=$found jq=
if [ -z "$client" ] && [ "$host" = claude-code ]; then
    find_program jq
    jq=$found
fi
unset IFS
cd -- "$start" 2>/dev/null

if [ -n "$client" ]; then
    # The native client asks the Python client next to it in any doubt.
    native=${client%/*}/truepath-native
    [ -x "$native" ] && client=$native
    exec "$client" "$host"
fi
[ -n "$jq" ] && [ -f "$here/guide.sh" ] && . "$here/guide.sh"
exit 0
