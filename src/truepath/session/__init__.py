"""What one session missed and was told, and where that is kept.

Entrance: `tracker.session_of`. It counts and remembers; it decides nothing and words nothing.
"""
