from dataclasses import dataclass

import numpy as np
import scipy.sparse

#: Below this, pairs that were not given are left out.
LEAST = 0.01


@dataclass(frozen=True)
class EdgeChanges:
    r"""Pairs of rows with their probabilities before and after learning.

    Args:
        index (numpy.ndarray): The pairs :math:`i < j`, each once and sorted,
            of shape :obj:`[2, P]`.
        prior (numpy.ndarray): Their probabilities before learning, of shape
            :obj:`[P]`; zero for given edges that were no candidates.
        posterior (numpy.ndarray): Their probabilities after learning.
        given (numpy.ndarray): Which of them are edges of the given graph.
    """

    index: np.ndarray
    prior: np.ndarray
    posterior: np.ndarray
    given: np.ndarray

    @classmethod
    def of_graphs(
        cls,
        prior: scipy.sparse.csr_array,
        posterior: scipy.sparse.csr_array,
        given: scipy.sparse.csr_array | None,
    ) -> 'EdgeChanges':
        r"""The union of the candidates, which are in :obj:`prior` and in
        :obj:`posterior`, and the given edges.
        """
        n = prior.shape[0]
        candidate, before = _upper(prior)
        _, after = _upper(posterior)
        known = candidate[:0] if given is None else _upper(given)[0]
        key = np.union1d(candidate, known)
        place = np.searchsorted(key, candidate)
        probs = np.zeros((2, key.size))
        probs[:, place] = before, after
        index = np.stack([key // n, key % n])
        return cls(index, probs[0], probs[1], np.isin(key, known))

    def __len__(self) -> int:
        return self.prior.size

    @property
    def candidate(self) -> np.ndarray:
        r"""Which pairs have a probability of their own."""
        return self.prior > 0

    @property
    def uses_given(self) -> bool:
        r"""Whether there is a given graph, and its edges are candidates."""
        return bool(self.given.any() and self.candidate[self.given].all())

    @property
    def change(self) -> np.ndarray:
        return self.posterior - self.prior

    def most_distrusted(self, many: int) -> np.ndarray:
        r"""The places of the given edges that are least likely now; without a
        given graph, or if it isn't used, of the edges that lost most.
        """
        which, value = self.candidate, self.change
        if self.uses_given:
            which, value = self.given, self.posterior
        return _first(which, value, many)

    def strongest(self, many: int) -> np.ndarray:
        r"""The places of the new edges that are most likely now; if no new
        ones were considered, of the edges that gained most.
        """
        which, value = self.candidate, self.change
        if self.has_new:
            which, value = which & ~self.given, self.posterior
        return _first(which, -value, many)

    @property
    def has_new(self) -> bool:
        r"""Whether there are candidates beside the edges of a given graph."""
        new = self.candidate & ~self.given
        return bool(self.given.any() and new.any())


def _first(which: np.ndarray, value: np.ndarray, many: int) -> np.ndarray:
    r"""Where the smallest values are, equal ones in their order."""
    place = np.flatnonzero(which)
    if place.size > many:  # no need to sort all
        limit = np.partition(value[place], many - 1)[many - 1]
        place = place[value[place] <= limit]
    return place[np.argsort(value[place], kind='stable')[:many]]


def _upper(graph: scipy.sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    r"""One number for each pair, increasing, and the values."""
    half = scipy.sparse.triu(graph, k=1).tocoo()
    key = half.row.astype(np.int64) * graph.shape[0] + half.col
    order = np.argsort(key)
    return key[order], half.data[order]
