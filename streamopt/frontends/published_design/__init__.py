"""Published designs: what a tool built and what the vendor's tools measured of it, as networks."""

from streamopt.frontends.published_design.design import (
    Measured,
    MeasuredPipeline,
    PublishedDesign,
)
from streamopt.frontends.published_design.reader import (
    load_published_design,
    read_published_design,
)

__all__ = [
    "Measured",
    "MeasuredPipeline",
    "PublishedDesign",
    "load_published_design",
    "read_published_design",
]
