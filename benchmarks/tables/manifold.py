import numpy as np

#: Blobs of each class, and dimensions of the surface.
BLOBS, SURFACE = 4, 4


def manifold(
    num_rows: int,
    num_features: int = 50,
    num_classes: int = 12,
    labelled: float = 0.01,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""Features, classes, and classes with :obj:`-1` where not known: several
    Gaussian blobs of each class on a curved surface of few dimensions.
    """
    rng = np.random.default_rng(seed)
    centre = rng.uniform(-3, 3, (num_classes * BLOBS, SURFACE))
    blob = rng.integers(len(centre), size=num_rows)
    place = centre[blob] + 0.5 * rng.standard_normal((num_rows, SURFACE))
    direction = rng.standard_normal((SURFACE, num_features))
    phase = rng.uniform(0, 2 * np.pi, num_features)
    x = np.sin(0.5 * place @ direction + phase)
    x += 0.05 * rng.standard_normal(x.shape)
    y = blob % num_classes
    known = rng.random(num_rows) < labelled
    return x, y, np.where(known, y, -1)
