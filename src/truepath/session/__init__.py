"""What one session missed and saw, which answers it got, and where that is kept.

Entrance: `tracker.Tracker`. It counts and remembers; it decides nothing and words nothing.
"""
