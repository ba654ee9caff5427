r"""Checks, indices, sparse matrices and files: what several rooms share."""

from torch_geometric_vgcn.utils.as_csr import (
    as_csr,
)
from torch_geometric_vgcn.utils.blocks import (
    Blocks,
)
from torch_geometric_vgcn.utils.compressed_rows import (
    CompressedRows,
    kernels_work,
    symmetric_csr,
)
from torch_geometric_vgcn.utils.data import (
    check_attributes,
    check_class_probs,
    check_features,
    check_labels,
    check_num_outputs,
    selected_nodes,
)
from torch_geometric_vgcn.utils.density import (
    DENSITY,
)
from torch_geometric_vgcn.utils.device import (
    on_host,
)
from torch_geometric_vgcn.utils.explained import (
    explained,
)
from torch_geometric_vgcn.utils.graph import (
    check_edge_index,
    check_edge_shape,
    check_node_id,
    check_node_mask,
    check_num_nodes,
    count_nodes,
)
from torch_geometric_vgcn.utils.index import (
    checksum,
    entries_among,
    entries_of,
    find,
    pair_at,
    pair_key,
    place_of,
)
from torch_geometric_vgcn.utils.inputs import (
    Inputs,
)
from torch_geometric_vgcn.utils.kind import (
    check_callable,
    check_floats,
    check_kind,
    check_maker,
    check_path,
    check_tensor,
)
from torch_geometric_vgcn.utils.numbers import (
    check_count,
    check_flag,
    check_nonnegative,
    check_number,
    check_positive,
    check_probability,
    check_seed,
    check_share,
)
from torch_geometric_vgcn.utils.observed import (
    lists_edges,
    observed_edges,
    observed_graph,
    undirected_graph,
)
from torch_geometric_vgcn.utils.pattern import (
    Pattern,
)
from torch_geometric_vgcn.utils.pieces import (
    pieces,
)
from torch_geometric_vgcn.utils.precision import (
    floor,
    wide,
)
from torch_geometric_vgcn.utils.progress import (
    progress_bar,
)
from torch_geometric_vgcn.utils.seeded import (
    Seeded,
)
from torch_geometric_vgcn.utils.sparse_dot import (
    sparse_dot,
)
from torch_geometric_vgcn.utils.sparse_features import (
    SparseFeatures,
)
from torch_geometric_vgcn.utils.triangle import (
    VECTOR,
    Triangle,
)
from torch_geometric_vgcn.utils.whole_file import (
    check_writable,
    read_tensors,
    same_file,
    whole_file,
)

__all__ = [
    'Blocks',
    'CompressedRows',
    'DENSITY',
    'Inputs',
    'Pattern',
    'Seeded',
    'SparseFeatures',
    'Triangle',
    'VECTOR',
    'as_csr',
    'check_attributes',
    'check_callable',
    'check_class_probs',
    'check_count',
    'check_edge_index',
    'check_edge_shape',
    'check_features',
    'check_flag',
    'check_floats',
    'check_kind',
    'check_labels',
    'check_maker',
    'check_node_id',
    'check_node_mask',
    'check_nonnegative',
    'check_num_nodes',
    'check_num_outputs',
    'check_number',
    'check_path',
    'check_positive',
    'check_probability',
    'check_seed',
    'check_share',
    'check_tensor',
    'check_writable',
    'checksum',
    'count_nodes',
    'entries_among',
    'entries_of',
    'explained',
    'find',
    'floor',
    'kernels_work',
    'lists_edges',
    'observed_edges',
    'observed_graph',
    'on_host',
    'pair_at',
    'pair_key',
    'pieces',
    'place_of',
    'progress_bar',
    'read_tensors',
    'same_file',
    'selected_nodes',
    'sparse_dot',
    'symmetric_csr',
    'undirected_graph',
    'whole_file',
    'wide',
]
