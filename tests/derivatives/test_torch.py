"""What is particular to PyTorch: modules, precision, the way back where forward mode has none, memory."""

import numpy as np
import pytest
import torch

from rsens._errors import InputError
from rsens.adapters import read_for
from rsens.derivatives import from_torch, iterate
from rsens.derivatives._model import MAX_BYTES
from rsens.distributions import Normal, Poisson
from tests.derivatives.sources import FAMILY_CASES, TORCH, rows


def network(*layers, seed=0):
    torch.manual_seed(seed)
    middle = layers or (torch.nn.Tanh(),)
    return torch.nn.Sequential(torch.nn.Linear(3, 8), *middle, torch.nn.Linear(8, 2)).double().eval()


def normal_from(net):
    def predict(X):
        out = net(X)
        return Normal(out[:, 0], out[:, 1].exp())

    return predict


def test_a_module_is_left_as_it_was():
    net = network(torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.5))
    before = {name: value.clone() for name, value in net.state_dict().items()}
    list(iterate(*read_for(from_torch(normal_from(net)), rows()), 2))
    assert all(torch.equal(before[name], value) for name, value in net.state_dict().items())
    assert all(parameter.grad is None and parameter.requires_grad for parameter in net.parameters())
    assert not net.training
    assert torch.get_default_dtype() == torch.float32
    assert torch.is_grad_enabled()


def test_a_module_in_single_precision():
    with pytest.raises(InputError, match=r"single precision.*\.double\(\)"):
        from_torch(normal_from(network().float())).derivatives(rows(), 1)


@pytest.mark.parametrize("layer", [torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.5)], ids=["BatchNorm1d", "Dropout"])
def test_training_mode(layer):
    net = network(layer).train()

    class Predictor(torch.nn.Sequential):
        def forward(self, X):
            return normal_from(self[0])(X)

    with pytest.raises(InputError, match=rf"training mode and has {type(layer).__name__}.*\.eval\(\)"):
        from_torch(Predictor(net).train())
    with pytest.raises(InputError, match=r"(mixes rows|is random).*\.eval\(\)"):
        from_torch(normal_from(net)).derivatives(rows(), 1)
    np.testing.assert_array_equal(
        from_torch(Predictor(net).eval()).derivatives(rows(), 1).first,
        from_torch(normal_from(net.eval())).derivatives(rows(), 1).first,
    )


class NoForwardRule(torch.autograd.Function):
    """x³ with a backward rule only: neither forward mode nor vmap can use it."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * gradient


def test_reverse_mode_where_forward_mode_fails():
    X = np.abs(rows())
    model = from_torch(lambda X: Normal(NoForwardRule.apply(X[:, 0]) * X[:, 1], 2.0 + X[:, 1]))
    with pytest.raises(RuntimeError):
        model._forward(torch.tensor(X), 1)
    record = model.derivatives(X, 2)
    plain = from_torch(lambda X: Normal(X[:, 0] ** 3 * X[:, 1], 2.0 + X[:, 1])).derivatives(X, 2)
    TORCH.close(record.first, plain.first)
    TORCH.close2(record.second, plain.second)
    assert model.derivatives(X, 1).second is None


@pytest.mark.parametrize("case", FAMILY_CASES.values(), ids=list(FAMILY_CASES))
def test_reverse_mode_gives_what_forward_mode_gives(case):
    X = torch.tensor(rows())
    model = TORCH.model(case)
    moved, first, second = model._forward(X, 2)
    moved_back, first_back, second_back = model._reverse(X.clone(), 2)
    TORCH.close(first_back.numpy(), first.numpy())
    TORCH.close2(second_back.numpy(), second.numpy())
    assert moved == moved_back


def test_numpy_inside_the_function_and_the_family():
    with pytest.raises(InputError, match=r"PyTorch cannot differentiate the function.*from_function"):
        from_torch(lambda X: Normal(torch.tensor(np.sin(X.numpy()[:, 0])), 1.0)).derivatives(rows(), 1)
    record = from_torch(lambda X: Normal(X[:, 0], np.float64(0.5))).derivatives(rows(), 1)
    assert (record.distribution.variance == 0.5).all()
    with pytest.raises(InputError, match="is not built from tensors"):
        from_torch(lambda X: Normal(X[:, 0], "wide")).derivatives(rows(), 1)


def wide(X):
    return Normal(torch.exp(-((X.sum(-1)[:, None] - torch.linspace(-1, 1, 5000)) ** 2)).sum(-1), 1.0)


def square(X):
    return Normal(X[:, 0], torch.exp(-((X[:, None] - X) ** 2).sum(-1)).diagonal() + 1.0)


def joined(X):
    """Rows together with 1000 others, such as inducing points."""
    together = torch.cat([torch.ones(1000, X.shape[1], dtype=X.dtype), X])
    return Normal((together[:, :1] * torch.ones(50, dtype=X.dtype)).sum(-1)[1000:], 1.0)


@pytest.mark.parametrize("fn", [wide, square, joined])
def test_chunks_stay_within_the_bound(fn):
    model = from_torch(fn).prepared(rows(20))
    chunk = model.rows_per_chunk(3, 2)
    assert chunk >= 16
    assert 4 * model._sizes(rows(chunk), 2).max() <= MAX_BYTES


def test_narrow_functions_get_large_chunks():
    assert from_torch(lambda X: Poisson(X[:, 0].exp())).prepared(rows(20)).rows_per_chunk(3, 1) > 10_000
