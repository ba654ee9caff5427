from torch import Tensor
from torch.nn import Module
from torch.nn.functional import log_softmax


class Categorical(Module):
    r"""The classification likelihood
    :math:`p(y_n \mid \mathbf{X}, \mathbf{A}) = \mathrm{Cat}(y_n \mid
    \mathrm{softmax}(\mathbf{f}_n))` of a network's outputs
    :math:`\mathbf{f}`.
    """

    def log_prob(self, out: Tensor, y: Tensor) -> Tensor:
        r"""The log-likelihood of the classes :obj:`y`, for outputs of shape
        :obj:`[..., n, C]`: of shape :obj:`[..., n]`.
        """
        index = y.unsqueeze(-1).expand(*out.shape[:-1], 1)
        return log_softmax(out, dim=-1).gather(-1, index).squeeze(-1)

    def mean(self, out: Tensor) -> Tensor:
        r"""What is to be averaged over graphs: the class probabilities, not
        the outputs.
        """
        return out.softmax(dim=-1)
