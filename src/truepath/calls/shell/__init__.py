"""Shell commands: which paths a line names, what it does at its strictest, and the line with other
paths.

- `reader.read(text) -> Line | None`: words with spans; None for what is not understood.
- `uses.survey(line) -> Survey`: the paths, the strictest thing the line does, and whether every
  program in it is in `programs.txt`.
- `uses.must_exist(text, cwd)`: the quick look of a hook.
- `rewrite.rewrite(text, {use: path}) -> str | None`: the line with other paths in it.
- `programs.txt`: what is known of programs, one line each.
"""
