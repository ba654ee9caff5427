r"""Checks of single numbers."""


def check_count(value: int, name: str, least: int = 0) -> int:
    r"""Expects a whole number that isn't too small."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"'{name}' must be an int, got {value!r}")
    if value < least:
        raise ValueError(f"'{name}' must be at least {least}, got {value}")
    return value


def check_probability(value: float, name: str) -> float:
    r"""Expects a probability strictly inside :math:`(0, 1)`."""
    if not 0.0 < value < 1.0:
        raise ValueError(
            f"'{name}' must lie strictly between 0 and 1, got {value}"
        )
    return float(value)


def check_positive(value: float, name: str) -> float:
    r"""Expects a finite number above zero."""
    if not 0.0 < value < float('inf'):
        raise ValueError(f"'{name}' must be positive and finite, got {value}")
    return float(value)


def check_nonnegative(value: float, name: str) -> float:
    r"""Expects a finite number of at least zero."""
    if not 0.0 <= value < float('inf'):
        raise ValueError(
            f"'{name}' must be finite and at least 0, got {value}"
        )
    return float(value)


def check_share(value: float, name: str) -> float:
    r"""Expects a share from zero to one."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"'{name}' must lie between 0 and 1, got {value}")
    return float(value)
