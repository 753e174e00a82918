# Print the names below the folder $1: as git lists them; outside a repository, as git would list
# them in one; without git, by a walk that does not read ignore files.
for one in $(env | sed -n 's/^\(GIT_[A-Z0-9_]*\)=.*/\1/p')
do case $one in @kept@) ;; *) unset "$one" ;; esac; done
export @settings@
git() { command git --no-pager @config@ "$@"; }
names() { git ls-files -z -c -o --exclude-standard; }
part() { printf '\0%s\0' "$1"; }
cd "$1" || exit
if ! [ "$(git rev-parse --is-inside-work-tree)" = true ] || ! [ "$(git ls-files -co | head -c 1)" ]
then
  place=$(mktemp -d)
  trap 'rm -rf "$place"' EXIT
  names() {
    git --git-dir="$place/.git" --work-tree=. ls-files -z -o --exclude-standard @excluded@
  }
  git init -q --template= "$place" ||
    names() { find . '(' @pruned@ ')' -prune -o '(' -type f -o -type l ')' -print0; }
fi
part gone; git ls-files -z -d
names | xargs -0 sh -c 'for one do [ -L "$one" ] && printf "%s\0" "$one"; done' sh
part files; names || exit
part whole
