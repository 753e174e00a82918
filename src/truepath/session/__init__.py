"""What a session missed and was told, and where that is stored.

Entrance: `stores.session_of`. It counts and stores; the guard decides and has the
texts.
"""
