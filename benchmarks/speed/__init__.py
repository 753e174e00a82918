"""What `python benchmarks/bench.py` measures, and with what it compares: speed at any size."""
