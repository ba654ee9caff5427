r"""Checks, indices, sparse matrices and files: what several rooms share."""

from torch_geometric_vgcn.utils.constraints import (
    COUNT,
    FLAG,
    FUNCTION,
    NONNEGATIVE,
    NUMBER,
    POSITIVE,
    PROBABILITY,
    SHARE,
    SIZE,
    Constraint,
    Floats,
    Instance,
    Interval,
    Maker,
    at_least,
    check_callable,
    check_count,
    check_flag,
    check_floats,
    check_kind,
    check_nonnegative,
    check_number,
    check_path,
    check_positive,
    check_probability,
    check_seed,
    check_share,
    check_tensor,
    checked,
)
from torch_geometric_vgcn.utils.csr import (
    DENSITY,
    CSRPattern,
    as_csr,
    csr_matrix,
    kernels_work,
    symmetric_csr,
    with_values,
)
from torch_geometric_vgcn.utils.data import (
    check_attributes,
    check_class_probs,
    check_features,
    check_labels,
    check_num_outputs,
    check_probs,
)
from torch_geometric_vgcn.utils.device import floor, on_host, pieces, wide
from torch_geometric_vgcn.utils.explained import explained, further_arguments
from torch_geometric_vgcn.utils.graph import (
    check_edge_index,
    check_edge_shape,
    check_node_id,
    check_node_mask,
    check_num_nodes,
    count_nodes,
    selected_nodes,
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
from torch_geometric_vgcn.utils.inputs import Inputs, as_stack
from torch_geometric_vgcn.utils.observed import (
    lists_edges,
    observed_edges,
    observed_graph,
    undirected_graph,
)
from torch_geometric_vgcn.utils.pattern import (
    VECTOR,
    ClusterPattern,
    Pattern,
    Triangle,
)
from torch_geometric_vgcn.utils.progress import progress_bar
from torch_geometric_vgcn.utils.rows import sparse_dot
from torch_geometric_vgcn.utils.seeded import ConstantDraws, Seeded
from torch_geometric_vgcn.utils.sparse_features import (
    SparseDropout,
    SparseFeatures,
    fastest,
    unchanged,
)
from torch_geometric_vgcn.utils.whole_file import (
    check_writable,
    read_tensors,
    same_file,
    whole_file,
)
