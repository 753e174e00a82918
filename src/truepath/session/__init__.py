"""What one session missed, saw and was told, and where that is kept.

Entrance: `tracker.Tracker`. It counts and remembers; it decides nothing and words nothing.
"""
