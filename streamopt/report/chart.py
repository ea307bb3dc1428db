"""A chart that is drawn when it is looked at or written."""

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

PIXELS_WIDE = 720
"""Of a chart in a notebook."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, which notebooks display.

    Attributes
    ----------
    says
        A description, for those who don't see it.
    draw
        From one of `streamopt.report.charts.FORMATS` to the file.
    """

    says: str
    draw: Callable[[str], bytes]

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the chart; the ending of the path says the format.

        Raises
        ------
        ReportError
            E871 for an ending other than .png, .svg and .pdf.
        FrontendError
            E116 where the system refuses to write.
        """
        from streamopt.files import write_file
        from streamopt.report.charts import chart_format

        place = Path(path)
        write_file(place, self.draw(chart_format(place)))
        return place

    def __repr__(self) -> str:
        """Return its words on one line."""
        return f"<Chart: {self.says}>"

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Show it in a notebook."""
        return self.draw("png"), {"width": PIXELS_WIDE}
