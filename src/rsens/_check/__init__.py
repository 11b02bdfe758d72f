"""`check`: what rsens understood of a model, and whether its predictions and derivatives are what they seem."""

from rsens._check._check import check as check
from rsens._check._result import Check as Check
