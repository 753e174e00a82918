"""How often truepath is right: cases in, measures out.

Used by `truepath eval` and the benchmarks; no tool call ever imports it.
"""
