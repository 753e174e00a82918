"""What wrong paths cost, according to the transcripts that agent programs record.

It must not know the hooks or the terminal.
"""
