"""Settings, the files they come from, and private files of the user.

Entrance: `settings.load`. It knows no project beyond its settings.
"""
