# Made by python/stubs.py.
from ._native import Error as Error

from .library import Item as Item
from .library import Library as Library
from .library import options as options
from .library import progress_bar as progress_bar
from .search import SharedSubspace as SharedSubspace
from .suggest import SparseGPClassifier as SparseGPClassifier
from .suggest import TagSuggester as TagSuggester
from .detect import ApproximateLaplacianEigenmaps as ApproximateLaplacianEigenmaps
from .detect import ConceptDetector as ConceptDetector
from .relate import GuidedProjection as GuidedProjection
from .transfer import TransitiveTransfer as TransitiveTransfer
from .encode import TextEncoder as TextEncoder
from .encode import ImageEncoder as ImageEncoder
from .encode import installed_encoders as installed_encoders

__version__: str
