"""One record of each interception: made, kept, read again.

Entrances: `journal.Recorder` makes them, `journal.JsonlSink` keeps, `statistics` reads.
"""
