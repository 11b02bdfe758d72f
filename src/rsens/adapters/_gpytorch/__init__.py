"""Gaussian processes of GPyTorch and BoTorch: closed forms for the kernels that rsens has, PyTorch for the rest."""

from rsens.adapters._gpytorch._gaussian_process import GPYTORCH, from_gpytorch
