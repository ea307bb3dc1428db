"""Published designs: what a tool built and what the vendor's tools measured of it, as networks."""

from streamopt.published.reader import (
    Measured,
    MeasuredPipeline,
    PublishedDesign,
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
