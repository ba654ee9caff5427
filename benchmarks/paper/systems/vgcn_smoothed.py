from systems.vgcn import VGCN


class VGCNSmoothed(VGCN):
    r"""The edges of the graph as candidates with the paper's smoothed prior:
    features are not used as evidence.
    """

    title = 'VGCN smoothed'
    grid = {**VGCN.grid, 'evidence': [0.0]}
    quick = {**VGCN.quick, 'evidence': 0.0}
    also = tuple({**settings, 'evidence': 0.0} for settings in VGCN.also)
