"""laplace-torch, imported: it asks for torchvision, whose files from PyPI are built for CUDA.

Beside a torch for CPUs alone its operators are missing, and importing it fails where it describes two of them. Nothing
here uses them, so it is enough that their names are known.
"""

from __future__ import annotations

import torch

library = torch.library.Library("torchvision", "FRAGMENT")  # kept: the names live as long as it does
for name in ("nms", "qnms"):
    try:
        getattr(torch.ops.torchvision, name)
    except AttributeError:
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

from laplace import Laplace as Laplace  # noqa: E402
