"""Benchmarks: `make bench`, or one module at a time with `python -m benchmarks.NAME`."""
