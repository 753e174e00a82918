"""What a session missed and was told, and where that is stored.

Entrance: `session.session_of`; `stores` has the places. It counts and stores; the guard
decides and has the texts.
"""
