"""What a session missed and was told, and where that is stored.

Entrance: `tracker.session_of`. It counts and stores; the guard decides and has the
texts.
"""
