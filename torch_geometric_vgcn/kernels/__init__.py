r"""Compiled or tiled helpers that several parts of the package share."""
