"""The kernel of a decoder: one template, with the numbers of a model and a shape."""

from __future__ import annotations

from collections.abc import Mapping

from streamopt.codegen.decoders.packing import BEAT_NUMBERS
from streamopt.codegen.templates import fill
from streamopt.ir.decoders.hardware import DecoderHardware
from streamopt.ir.decoders.model import Normalization
from streamopt.ir.decoders.numbers import power_table, reciprocal_of
from streamopt.ir.decoders.steps import DecoderTable, Matrix

POWERS_IN_LINE = 12


def header_text(top: str, table: DecoderTable) -> str:
    """Return the header of the top function."""
    shape = table.shape
    return fill(
        "decoder.h",
        channels=str(shape.channels),
        share=str(shape.share_bytes),
        words=str(table.channel_words),
        drain=str(shape.drain),
        beats=str(answer_beats(table)),
        result_lanes=str(result_lanes(table)),
        signature=_signature(top, table),
    )


def kernel_text(top: str, hardware: DecoderHardware, blocks: Mapping[str, str]) -> str:
    """Return the C++ of a decoder.

    Parameters
    ----------
    blocks
        What each memory is made of: ``bram`` or ``uram``.
    """
    table = hardware.table
    shape = table.shape
    matrices = [(*table.size(one), table.tiles(one), table.tile_words(one)) for one in Matrix]
    return fill(
        "decoder.cpp",
        top=top,
        **_model(table),
        outputs=str(shape.outputs),
        depth=str(shape.depth),
        positions=str(shape.positions),
        queries=str(shape.queries),
        lanes=str(shape.lanes),
        rows=str(shape.rows),
        pair_words=str(table.pair_words),
        kept_words=str(max(map(table.tile_words, Matrix))),
        head_words=str(table.head_words),
        layer_words=str(table.layer_words),
        answer_words=str(table.answer_words),
        own_words=str(table.most_own_words),
        reciprocal=str(reciprocal_of(table.model.features)),
        matrices="".join(f"    {{{', '.join(map(str, one))}}},\n" for one in matrices),
        inner_words=str(table.matrix_words(Matrix.INNER)),
        powers=_powers(),
        fifo_words=str(hardware.supply.fifo_words),
        stored_words=str(2 * table.model.heads.groups * table.most_own_words),
        residual_width=str(max(shape.lanes, shape.drain)),
        inner_width=str(max(shape.depth, shape.lanes)),
        signature=_signature(top, table),
        interfaces=_interfaces(table),
        movers="".join(
            f"    move(words_{at}, prompt_size, answers, shares[{at}]);\n"
            for at in range(shape.channels)
        ),
        keepers="".join(
            f"    keep(context_{at}, {at}, prompt_size, answers, stored[{at}]);\n"
            for at in range(shape.channels)
        ),
        **{f"{name}_block": kind for name, kind in blocks.items()},
    )


def answer_beats(table: DecoderTable) -> int:
    """Return the beats of an answer: its logits, then its token."""
    return table.tiles(Matrix.VOCABULARY) * table.drain_cycles + 1


def result_lanes(table: DecoderTable) -> int:
    """Return the numbers of a beat of an answer: a power of 2."""
    return 1 << (table.shape.drain - 1).bit_length()


def _model(table: DecoderTable) -> dict[str, str]:
    model, heads, style = table.model, table.model.heads, table.model.style
    flags = {
        "is_rms": style.normalization is Normalization.RMS,
        "is_gated": style.is_gated,
        "is_rotary": style.rotary_base is not None,
    }
    numbers = {
        "layers": model.layers,
        "features": model.features,
        "heads": heads.count,
        "groups": heads.groups,
        "head_features": heads.features,
        "hidden": model.hidden,
        "vocabulary": model.vocabulary,
        "context": model.positions,
    }
    return {name: str(value) for name, value in numbers.items()} | {
        name: "true" if is_so else "false" for name, is_so in flags.items()
    }


def _powers() -> str:
    values = [str(value) for value in power_table()]
    rows = range(0, len(values), POWERS_IN_LINE)
    return "".join(f"    {', '.join(values[at : at + POWERS_IN_LINE])},\n" for at in rows)


def _signature(top: str, table: DecoderTable) -> str:
    channels = range(table.shape.channels)
    words = [f"const Share *words_{at}" for at in channels]
    context = [f"Share *context_{at}" for at in channels]
    host = ["const Beat *prompt", "const Beat *tables", "Results *out"]
    sizes = ["int prompt_size", "int answers"]
    return f'extern "C" void {top}({", ".join([*words, *context, *host, *sizes])})'


def _interfaces(table: DecoderTable) -> str:
    """Return a line for each argument.

    A channel is read as ``words`` and written as ``context``, by one port; what the host gives
    and takes shares another.
    """
    line = "#pragma HLS interface mode=m_axi port={0} offset=slave bundle=gmem_{1} depth={2}\n"
    model = table.model
    words = table.channel_words
    rows = model.vocabulary + model.positions
    host = (
        ("prompt", -(-model.positions // BEAT_NUMBERS)),
        ("tables", rows * -(-model.features // BEAT_NUMBERS)),
        ("out", model.positions * answer_beats(table)),
    )
    channels = [
        (f"{name}_{at}", f"words_{at}", words)
        for name in ("words", "context")
        for at in range(table.shape.channels)
    ]
    return "".join(
        line.format(*one) for one in [*channels, *((name, "host", size) for name, size in host)]
    )
