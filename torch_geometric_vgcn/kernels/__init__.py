r"""Compiled or tiled helpers that the rooms share."""
