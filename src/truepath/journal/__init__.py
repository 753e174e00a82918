"""One record of each interception: made, kept, read again.

Entrances: `recorder.Recorder` writes, `journal.JsonlSink` keeps, `statistics` reads.
"""
