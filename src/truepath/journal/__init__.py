"""Events: one record of each interception.

Entrances: `journal.Recorder` makes them, `journal.JsonlSink` writes them, `statistics`
counts them.
"""
