"""The latent Gaussian posterior of every Gaussian process, ours and other libraries', with derivatives in x."""

from rsens.posteriors._latent import CHUNK_BYTES as CHUNK_BYTES
from rsens.posteriors._latent import DenseRoot as DenseRoot
from rsens.posteriors._latent import Latent as Latent
from rsens.posteriors._latent import LatentPosterior as LatentPosterior
from rsens.posteriors._latent import Root as Root
from rsens.posteriors._latent import ScaledTriangularRoot as ScaledTriangularRoot
from rsens.posteriors._latent import TriangularRoot as TriangularRoot
from rsens.posteriors._latent import jittered_cholesky as jittered_cholesky
