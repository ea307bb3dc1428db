"""A front of designs on one page: each can be chosen, and all that is shown is then its own."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from streamopt.report.log_charts import front_chart
from streamopt.report.page import Picture, Section, Table


@dataclass(frozen=True, slots=True)
class FrontFacts:
    """A front of latency against DSPs."""

    points: tuple[tuple[int, int, bool], ...]
    """Latency in cycles, DSPs, and whether it is proved, latencies rising."""
    open_boxes: tuple[tuple[int, int, int, int], ...]
    """As `streamopt.report.log_charts.front_chart` has them."""
    own: int | None = None
    """The point that is the page's first design; the others are the designs after it, in order."""


def front_section(name: str, front: FrontFacts) -> Section:
    """Return the section of a front, which a script draws with its slider."""
    rows = tuple(
        (f"{cycles:,}", f"{dsps:,}", "proved" if proved else "may be beaten")
        for cycles, dsps, proved in front.points
    )
    costs = [(cycles, dsps) for cycles, dsps, _ in front.points]
    draw = partial(front_chart, f"{name}: latency against DSPs", costs, front.open_boxes)
    words = f"{len(rows)} schedules that no other beats in the model"
    more = f"; {len(front.open_boxes)} parts may hold more."
    words += more if front.open_boxes else ", and there are no others."
    sizes = (
        "Choose one, here or by the slider above, and the whole page is about it; its FIFOs are as "
    )
    sizes += "deep as the model asks for, which solving for it alone may cut."
    table = Table("Schedules of the front", ("latency (cycles)", "DSPs", "proof"), rows)
    picture = Picture("pareto", draw)
    return Section("front", "Pareto front", (words, sizes), picture, (table,), has_view=True)


def front_view(front: FrontFacts) -> dict[str, Any]:
    """Return the values of a front for its script; designs are numbered as the page has them."""
    places = list(range(1, len(front.points) + 1))
    if front.own is not None:
        places = [at if at <= front.own else at - 1 for at in places]
        places[front.own] = 0
    points = [
        {"cycles": cycles, "dsps": dsps, "proved": proved, "design": place}
        for (cycles, dsps, proved), place in zip(front.points, places, strict=True)
    ]
    return {"points": points, "boxes": front.open_boxes}
