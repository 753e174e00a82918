# For each path, print the kind of entry, links followed, and its real path, ended by a NUL.
for one do
  kind=-
  if [ -d "$one" ]; then kind=d; elif [ -e "$one" ]; then kind=f
  elif [ -L "$one" ]; then kind=l; fi
  printf '%s=%s\0' $kind "$(readlink -f "$one")"
done
