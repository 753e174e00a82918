"""One record of each interception: made, kept, read again.

Entrances: `recorder.Recorder` writes, `journal.Journal` keeps, `statistics` and `adoption` read.
"""
