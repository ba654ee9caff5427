from systems.vgcn import VGCN


class VGCNSmoothed(VGCN):
    r"""The edges of the graph as candidates with the paper's smoothed prior:
    features are not used as evidence.
    """

    title = 'VGCN smoothed'
    grid = {**VGCN.grid, 'evidence': [0.0]}
    quick = {**VGCN.quick, 'evidence': 0.0}
    also = tuple({**settings, 'evidence': 0.0} for settings in VGCN.also)


class VGCNSmoothedLong(VGCNSmoothed):
    r"""The same with the trust in edges of the paper's model, and 1,000
    epochs.
    """

    title = 'VGCN smoothed, 1000 epochs'
    quick = {
        'rho1': 0.25,
        'evidence': 0.0,
        'weight_decay': 5e-4,
        'epochs': 1000,
        'patience': 1000,
    }
    also = ()
