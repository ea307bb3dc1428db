"""Blocks that are moved as a whole, as streams of C++: ``hls::stream_of_blocks``, ``burst_maxi``.

Before::

    { hls::write_lock<row> b(s); b[0] = 1; }
    p.read_request(a, n); x = p.read();
    p.write_request(a, n); p.write(x); p.write_response();

After::

    { block_of<row> b; b.v[0] = 1; s.write(b); }
    for (int k = 0; k < n; k++) p__in.write(p[a + k]); x = p__in.read();
    p__out.write(x); for (int k = 0; k < n; k++) p[a + k] = p__out.read();
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from streamopt.frontends.c.text.places import Edit
from streamopt.frontends.c.text.template_text import closing_brackets, parts_of

_TYPE = r"<((?:[^<>;{}]|<[^<>;{}]*>){1,200})>"
_LOCK = re.compile(
    rf"(?:\bhls\s*::\s*)?\b(read|write)_lock\s*{_TYPE}\s*(\w+)\s*[({{]\s*([\w.[\]]+)\s*[)}}]\s*;"
)
_BURST = re.compile(rf"(?:\bhls\s*::\s*)?\bburst_maxi\s*{_TYPE}\s*&?\s*(\w+)(?=\s*[,)])")
_RUN = "for (int {0}__k = 0; {0}__k < ({2}); {0}__k++)"


def locks(text: str) -> Iterator[Edit]:
    """Yield edits for locks of blocks: read where they begin, written where their scope ends."""
    closes = closing_brackets(text) if _LOCK.search(text) else {}
    for one in _LOCK.finditer(text):
        kind, element, name, stream = one.groups()
        opened = (at for at, end in closes.items() if at < one.start() < end and text[at] == "{")
        end = closes.get(max(opened, default=-1), len(text))
        start = f" = {stream}.read();" if kind == "read" else ";"
        yield *one.span(), f"block_of<{element}> {name}{start}" + "\n" * one[0].count("\n")
        for use in re.finditer(rf"(?<![.\w]){name}\b", text[one.end() : end]):
            yield one.end() + use.end(), one.end() + use.end(), ".v"
        if kind == "write":
            yield end, end, f" {stream}.write({name}); "


def bursts(text: str) -> Iterator[Edit]:
    """Yield edits for pointers with requests: what is asked for is read then, in that order.

    A write is answered by the response of the same number in the text; others are refused.
    """
    closes = closing_brackets(text) if _BURST.search(text) else {}
    for one in _BURST.finditer(text):
        element, name = one[1], one[2]
        body = text.find("{", one.end())
        end, asked = closes.get(body, -1), list[tuple[int, list[str]]]()
        if end < 0 or ";" in text[one.end() : body]:
            continue
        yield *one.span(), f"{element} *{name}"
        yield body + 1, body + 1, f" hls::stream<{element}> {name}__in, {name}__out;"
        for use in re.finditer(rf"\b{name}\s*\.\s*(\w+)\s*\(", text[:end]):
            close = closes.get(use.end() - 1, use.end())
            at, given = close + 1, parts_of(text[use.end() : close])
            depth = text.count("{", body, at) - text.count("}", body, at)
            match use[1], len(given):
                case _ if use.start() < body:
                    pass
                case "read", 0:
                    yield use.start(), at, f"{name}__in.read()"
                case "read_request", 2:
                    run = _RUN.format(name, *given)
                    yield (
                        use.start(),
                        at,
                        f"{run} {name}__in.write({name}[({given[0]}) + {name}__k])",
                    )
                case "write_request", 2:
                    asked.append((depth, given))
                    yield use.start(), at, ""
                case "write", 1 | 2:
                    yield use.start(), at, f"{name}__out.write({given[0]})"
                case "write_response", 0 if asked and asked[0][0] == depth:
                    _, (first, count) = asked.pop(0)
                    place = f"{name}[({first}) + {name}__k]"
                    yield (
                        use.start(),
                        at,
                        f"{_RUN.format(name, first, count)} {place} = {name}__out.read()",
                    )
                case _:
                    pass
