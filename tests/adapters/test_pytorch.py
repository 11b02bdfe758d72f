"""Modules of PyTorch as they are, with a distribution as their head, and with dropout as posterior draws."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
import torch
from torch import nn

import rsens
from rsens import InputError, Normal, from_dropout, from_torch
from rsens.adapters import as_model
from rsens.distributions import Bernoulli, Categorical

X = np.random.default_rng(0).normal(size=(25, 3))


class Net(nn.Module):
    """Two hidden units per column, and a head of the user's choice."""

    def __init__(self, head, outputs=2, dropout=None):
        super().__init__()
        torch.manual_seed(1)
        layers = [nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, outputs)]
        if dropout is not None:
            layers.insert(2, nn.Dropout(dropout))
        self.body = nn.Sequential(*layers)
        self.head = head

    def forward(self, rows):
        return self.head(self.body(rows))


def normal(out):
    return Normal(out[:, 0], (2.0 * out[:, 1]).exp())


#: The head of a module, and the family by hand.
HEADS = {
    "torch normal": (lambda out: torch.distributions.Normal(out[:, 0], out[:, 1].exp()), normal),
    "column": (
        lambda out: torch.distributions.Independent(torch.distributions.Normal(out[:, :1], 0.3), 1),
        lambda out: Normal(out[:, 0], 0.09 + 0.0 * out[:, 0]),
    ),
    "our normal": (normal, normal),
    "classes": (lambda out: torch.distributions.Categorical(logits=out), lambda out: Categorical(out.softmax(-1))),
    "event": (lambda out: torch.distributions.Bernoulli(logits=out[:, 0]), lambda out: Bernoulli(logit=out[:, 0])),
}
HEAD = HEADS["torch normal"][0]


@pytest.mark.parametrize("name", HEADS)
def test_a_module_with_a_distribution_is_its_function(name):
    """Against the body in float64 with the family built by hand; the copy has the very same weights."""
    net = Net(HEADS[name][0]).to(torch.float64 if name == "classes" else torch.float32).eval()
    body = deepcopy(net.body).double()
    expected = from_torch(lambda rows: HEADS[name][1](body(rows)))
    np.testing.assert_allclose(rsens.rsens(net, X), rsens.rsens(expected, X), rtol=1e-10)
    np.testing.assert_allclose(rsens.rsens2(net, X), rsens.rsens2(expected, X), rtol=1e-9, atol=1e-12)


def test_nothing_is_left_behind():
    net = Net(HEAD).train()
    before, rng = deepcopy(net.state_dict()), torch.random.get_rng_state()
    rsens.rsens2(net, X)
    assert net.training
    assert all(parameter.grad is None and parameter.requires_grad for parameter in net.parameters())
    assert all(parameter.dtype == torch.float32 for parameter in net.parameters())
    for name, value in net.state_dict().items():
        assert torch.equal(value, before[name])
    assert torch.equal(torch.random.get_rng_state(), rng)
    assert torch.get_default_dtype() == torch.float32
    with pytest.raises(ValueError, match="scale"):  # torch checks its arguments as before
        torch.distributions.Normal(0.0, torch.tensor(-1.0))


def test_description_and_findings():
    model = as_model(Net(HEAD).eval())
    assert "Net, a module of PyTorch" in str(model.description)
    assert {finding.name: finding.verdict for finding in model.checks(X)} == {"mode": "ok", "precision": "ok"}
    assert "float32" in {finding.name: finding.text for finding in model.checks(X)}["precision"]
    assert rsens.check(Net(HEAD).eval(), X).verdict == "ok"


WRONG = {
    "a tensor": (lambda: Net(lambda out: out).eval(), X, r"tensor of shape \(\d+, 2\).*Normal\(module\(X\)"),
    "a tuple": (lambda: Net(lambda out: (out[:, 0], out[:, 1].exp())).eval(), X, "returns a tuple"),
    "other columns": (lambda: Net(HEAD).eval(), X[:, :2], "2 columns of X"),
    "dropout": (lambda: Net(HEAD, dropout=0.2).train(), X, "training mode and has Dropout"),
    "a point of draws": (lambda: from_dropout(Wide(0.2).eval(), n_draws=3), X, "returns a tensor"),
}


@pytest.mark.parametrize("name", WRONG)
def test_modules_that_cannot_be_explained(name):
    make, rows, text = WRONG[name]
    with pytest.raises(InputError, match=text):
        rsens.rsens(make(), rows)


# ---- dropout as draws ------------------------------------------------------------------------------------------------


class Wide(nn.Module):
    """f(x) = Σ_j w_j x_j m_j / (1 − p): one dropout between the columns and the weights."""

    def __init__(self, p):
        super().__init__()
        self.first, self.dropout, self.last = nn.Linear(3, 3, bias=False), nn.Dropout(p), nn.Linear(3, 1, bias=False)
        with torch.no_grad():
            self.first.weight.copy_(torch.eye(3))
            self.last.weight.copy_(torch.tensor([[1.0, -2.0, 0.5]]))

    def forward(self, rows):
        return self.last(self.dropout(self.first(rows)))


def test_the_spread_of_the_draws():
    """Mean Σ w_j x_j and variance p/(1 − p) Σ (w_j x_j)² + noise; 4,000 draws are off by 2 % or so."""
    model = from_dropout(Wide(0.3).eval(), lambda out: Normal(out[:, 0], 0.25), n_draws=4000, random_state=0)
    found = model.predict_distribution(X)
    parts = X * [1.0, -2.0, 0.5]
    variance = 0.3 / 0.7 * (parts**2).sum(axis=1)
    np.testing.assert_allclose(found.mean, parts.sum(axis=1), atol=4.0 * np.sqrt(variance.max() / 4000))
    np.testing.assert_allclose(found.variance, variance + 0.25, rtol=0.1)


def test_one_mask_for_all_rows():
    """Two draws: each is linear in x, so that the mixture's matched variance is a quadratic form of rank one."""
    model = from_dropout(Wide(0.5).eval(), lambda out: Normal(out[:, 0], 0.25), n_draws=2, random_state=3)
    alone = model.predict_distribution(X[:1]).variance
    np.testing.assert_allclose(model.predict_distribution(X).variance[:1], alone, rtol=1e-12)
    spread = model.predict_distribution(2.0 * X).variance - 0.25
    np.testing.assert_allclose(spread, 4.0 * (model.predict_distribution(X).variance - 0.25), rtol=1e-9, atol=1e-12)


def test_the_seed_decides():
    net = Net(HEAD, dropout=0.3).eval()
    rng = torch.random.get_rng_state()
    first = rsens.rsens(from_dropout(net, n_draws=20, random_state=0), X)
    np.testing.assert_array_equal(rsens.rsens(from_dropout(net, n_draws=20, random_state=0), X), first)
    assert not np.allclose(rsens.rsens(from_dropout(net, n_draws=20, random_state=1), X), first)
    assert torch.equal(torch.random.get_rng_state(), rng)
    assert isinstance(net.body[2], nn.Dropout)


class Shared(nn.Module):
    """One dropout layer, used twice, for layers of different widths."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(3, 5), nn.Linear(5, 4), nn.Linear(4, 1)
        self.dropout = nn.Dropout(0.25)

    def forward(self, rows):
        hidden = self.dropout(torch.tanh(self.a(rows)))
        return torch.distributions.Normal(self.c(self.dropout(torch.tanh(self.b(hidden))))[:, 0], 0.5)


def test_a_layer_that_is_used_twice():
    model = from_dropout(Shared().eval(), n_draws=10, random_state=0)
    assert np.isfinite(rsens.rsens2(model, X)).all()
    assert "10 thinned networks" in str(model.description)
    assert "for 2 uses of dropout" in {finding.name: finding.text for finding in model.checks(X)}["masks"]
    assert rsens.check(model, X).verdict == "ok"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: from_dropout("net"), "from_dropout: module must be a module of PyTorch; got str"),
        (lambda: from_dropout(Net(HEAD).eval()), "has no layer nn.Dropout"),
        (lambda: from_dropout(Net(HEAD, dropout=0.2)), "training mode"),
    ],
)
def test_wrong_arguments(make, text):
    with pytest.raises(InputError, match=text):
        make()
