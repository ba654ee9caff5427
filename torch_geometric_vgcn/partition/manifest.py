import json
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from torch_geometric_vgcn.utils import whole_file

NAME = 'manifest.json'


@dataclass
class Manifest:
    r"""What a partitioned graph holds, as one JSON file.

    Args:
        num_nodes (int): The number of nodes :math:`N`.
        num_features (int): The number of features of a node.
        num_shards (int): The number of groups of clusters.
        sparse (bool): Whether features are stored in compressed rows.
        dense (bool): Whether each cluster has all its pairs, and none are
            between clusters.
        background (float): The probability of all other pairs.
        highest_class (int): The highest class of a labelled node.
        sizes (List[int]): The number of nodes of each cluster.
        pairs (List[int]): The number of pairs that each cluster owns.
        train (List[int]): The number of its training nodes.
        val (List[int]): The number of its validation nodes.
        checksums (List[str]): A hash of what was written.
    """

    num_nodes: int
    num_features: int
    num_shards: int
    sparse: bool
    dense: bool
    background: float
    highest_class: int = -1
    sizes: list[int] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)
    train: list[int] = field(default_factory=list)
    val: list[int] = field(default_factory=list)
    checksums: list[str] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        r"""Written last: a folder without it isn't whole."""
        with whole_file(folder / NAME) as file:
            file.write(json.dumps(asdict(self)).encode())

    @classmethod
    def read(cls, folder: Path) -> 'Manifest':
        path = folder / NAME
        try:
            values: Any = json.loads(path.read_text())
            manifest = cls(**values)
            lengths = {
                len(values[name])
                for name in ('sizes', 'pairs', 'train', 'val', 'checksums')
            }
            whole = sum(manifest.sizes) == manifest.num_nodes
            whole = whole and len(lengths) == 1
            whole = whole and len(manifest.sizes) % manifest.num_shards == 0
        except FileNotFoundError as error:
            raise ValueError(
                f"'folder' must hold a graph written by partition_graph, got "
                f'{folder} without {NAME}'
            ) from error
        except (TypeError, ValueError, ZeroDivisionError) as error:
            raise ValueError(
                f"'folder' holds {path}, which can't be read ({error}): write "
                'the graph again with partition_graph'
            ) from error
        if not whole:
            raise ValueError(
                f"'folder' holds {path}, whose numbers don't fit together: "
                'write the graph again with partition_graph'
            )
        return manifest

    def digest(self) -> str:
        text = json.dumps(asdict(self), sort_keys=True)
        return sha256(text.encode()).hexdigest()[:16]
