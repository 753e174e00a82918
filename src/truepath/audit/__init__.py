"""What wrong paths cost, according to the transcripts that agent programs record.

It must not know the hooks or the terminal. A transcript goes one way:

    file or session -> records -> calls -> the paths of each -> rows -> figures

- `sources` finds transcripts and reads one (`database` those in SQLite, `readers` one
  format each) into a `Transcript`: its calls, each with the folder it was made in.
- `misses` says which paths a call named, and which its answer calls missing.
- Of the calls with their paths, `project` asks which commit fits, `aftermath` what
  followed a miss and what it cost, `failures` why a call failed.
- `audit` asks the guard what it would have done, and makes the rows of `record`.
- `pool` and `engines` do that for many; `parquet` keeps rows, `figures` adds them up,
  and `page` shows the sums.
"""
