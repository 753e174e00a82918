"""What is run in a sandbox: POSIX shell for any `sh`, with busybox's tools or others.

Each script prints records that end in NUL. A fact begins with `=`, so that only an empty record
parts one section from the next.
"""

from __future__ import annotations

import shlex

from truepath.project.git import SAFE_CONFIG, SETTINGS, USERS_OWN
from truepath.project.history.log import EXACT, HEADER, PLAIN, RENAMES
from truepath.project.history.repository import UNDER_WAY
from truepath.project.walk import GENERATED

_KEPT = "|".join(f"{name}*" for name in USERS_OWN)

_SAFE = " ".join(f"-c {key}={value}" for key, value in SAFE_CONFIG)

GIT = f"""
for one in $(env | sed -n 's/^\\(GIT_[A-Z0-9_]*\\)=.*/\\1/p')
do case $one in {_KEPT}) ;; *) unset "$one" ;; esac; done
export {" ".join(f"{name}={value}" for name, value in SETTINGS.items())}
git() {{ command git --no-pager {_SAFE} "$@"; }}
part() {{ printf '\\0%s\\0' "$1"; }}
"""
"""Defines git as it is run on disk, with the repository's programs off and no variable of it."""

LOOK = """
for one do
  kind=-
  if [ -d "$one" ]; then kind=d; elif [ -e "$one" ]; then kind=f
  elif [ -L "$one" ]; then kind=l; fi
  real=
  if [ $kind != - ]; then real=$(readlink -f "$one"; printf x); real=${real%?x}; fi
  printf '%s=%s\\0' $kind "$real"
done
"""
"""For each path: what is there, links followed, and where that is."""

_FIND = " -o ".join(f"-name {name}" for name in (".git", *sorted(GENERATED)))

WALK = f"""
one() {{ find . '(' {_FIND} ')' -prune -o "$@"; }}
part() {{ printf '\\0%s\\0' "$1"; }}
folder=$1
cd "$folder" || exit
part walk; printf '=%s\\0' "$(pwd -P)"
part rules
one -name .gitignore -type f -exec sh -c '
for one do
  printf "%s\\0=" "$one"; head -c 65536 "$one" | tr -d "\\000"; printf "\\0"
done' sh {{}} +
part links; one -type l -print0
part files; one -type f -print0 && part whole
"""
"""The files below a folder, with what its ignore files say, for where git tells nothing."""

LIST = f"""{GIT}
for folder do (
  cd "$folder" || exit
  [ "$(git rev-parse --is-inside-work-tree)" = true ] || exit
  place=$(cd "$(git rev-parse --git-common-dir)" && pwd -P)
  own=$(cd "$(git rev-parse --git-dir)" && pwd -P)
  doubt=$(git rev-parse --is-shallow-repository)
  for one in {" ".join(UNDER_WAY)}; do [ -e "$own/$one" ] && doubt=true; done
  part git
  printf '=%s\\0' "$folder" "$(pwd -P)" "$(git rev-parse --show-toplevel)" \\
    "$(git rev-parse --show-prefix)" "$place" "$(git rev-parse -q --verify HEAD)" "$doubt"
  set -- --exclude-standard
  [ -s "$(git rev-parse --show-toplevel)/.gitignore" ] || set -- "$@" {
    " ".join(f"--exclude={name}/" for name in sorted(GENERATED))
}
  part tracked; git ls-files -s -t -z || exit
  part gone; git ls-files -d -z || exit
  part others; git ls-files -o -z "$@" || exit
  part links; git ls-files -o -z "$@" | xargs -0 sh -c '
for one do [ -L "$one" ] && printf "%s\\0" "$one"; done' sh
  part whole
) done
"""
"""For each folder: the repository that it lies in, and the names below it."""

ASK = f"""{GIT}
given=$1; top=$2; shift 2
cd "$top" && printf %s "$given" | git --literal-pathspecs "$@"
printf '\\0%s' $?
"""
"""One git command: what it reads, the work tree, its arguments; its exit code is printed last."""

IDS = f"""{GIT}
cd "$1" && shift || exit
sizes="-size $1c"; shift
for one do sizes="$sizes -o -size ${{one}}c"; done
find . '(' {_FIND} ')' -prune -o -type f '(' $sizes ')' -exec sh -c '
for one do printf "%s\\0%s\\0" "$one" "$(command git hash-object --no-filters -- "$one")"; done
' sh {{}} +
"""
"""Below a work tree, the files of some sizes in bytes, each with the id of what it holds."""

_LOG = shlex.join(("log", "--date-order", HEADER, "--name-status", "-z", *PLAIN))

LOG = f"""{GIT}
cd "$1" || exit
head=$2
part count; printf '=%s\\0' "$(git rev-list --count --max-count="$3" "$head" --)"
most=$3
log() {{ git {_LOG} --max-count="$most" "$@" "$head" --; }}
part plain
log --diff-filter=RD {shlex.join(RENAMES)} || {{
  part exact; log --diff-filter=ARD {shlex.join(EXACT)}
}} || exit
part merges; log --min-parents=2 -c --no-renames || exit
part whole
"""
"""What the last commits took away: the work tree, the commit, and how many are looked at.

Without all contents git ends in the middle of `plain`, and `exact` is what it can tell.
"""
