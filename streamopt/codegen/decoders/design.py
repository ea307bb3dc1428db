"""From a decoder as built to a Vitis HLS project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256

from streamopt.codegen.backends.vitis_project import KERNEL, VitisSettings, scripts
from streamopt.codegen.decoders.kernel import (
    answer_beats,
    header_text,
    kernel_text,
)
from streamopt.codegen.decoders.packing import BEAT_NUMBERS
from streamopt.codegen.design import BackendName, Design
from streamopt.codegen.names import identifier, suits_top
from streamopt.codegen.templates import fill
from streamopt.ir.decoders.hardware import DecoderHardware
from streamopt.ir.decoders.steps import DecoderTable, Matrix
from streamopt.ir.element import ElementType
from streamopt.ir.program import Array, Program, Role

SETTING = "decoder"
"""Entry of a project's settings that says it is a decoder."""


def decoder_arrays(table: DecoderTable, prompt: int, answers: int) -> Program:
    """Return the arrays that a decoder takes and gives, as a program without nests."""
    model, shape = table.model, table.shape
    weights = (model.layers * table.layer_words + table.answer_words) * shape.share_bytes
    rows = model.vocabulary * -(-model.features // BEAT_NUMBERS)
    is_learned = model.style.rotary_base is None
    position = model.features if is_learned else model.heads.features // 2
    rows += model.positions * -(-position // BEAT_NUMBERS)
    words = (
        Array(f"words_{at}", (weights,), Role.WEIGHT, ElementType.UINT8)
        for at in range(shape.channels)
    )
    return Program(
        model.name,
        (
            *words,
            Array("tables", (rows * BEAT_NUMBERS,), Role.WEIGHT, ElementType.INT32),
            Array("prompt", (prompt,), Role.INPUT, ElementType.INT32),
            Array("tokens", (answers,), Role.OUTPUT, ElementType.INT32),
            Array("logits", (answers, model.vocabulary), Role.OUTPUT, ElementType.INT32),
        ),
        (),
    )


def emit_decoder(
    hardware: DecoderHardware,
    blocks: Mapping[str, str],
    program: Program,
    settings: VitisSettings,
) -> Design:
    """Return the design of a decoder.

    Parameters
    ----------
    blocks
        What each memory is made of: ``bram`` or ``uram``.
    program
        The arrays, as `decoder_arrays` has them; the testbench runs their prompt.
    """
    table = hardware.table
    top = identifier(table.model.name)
    top = top if suits_top(top) else f"{top}_decoder"
    files = (
        (f"{top}.h", header_text(top, table)),
        (f"{top}.cpp", kernel_text(top, hardware, blocks)),
        ("testbench.cpp", _testbench(top, table, program)),
        ("connectivity.cfg", _connectivity(top, hardware)),
        *scripts(top, settings, KERNEL),
    )
    return Design(
        table.model.name,
        files,
        top,
        tuple((array.name, array.name) for array in program.arrays),
        sha256(repr((asdict(table.model), asdict(table.shape))).encode()).hexdigest(),
        (),
        BackendName.VITIS,
    )


def _connectivity(top: str, hardware: DecoderHardware) -> str:
    """Return the options of the vendor's linker: a channel for each port of words."""
    lines = [
        f"sp={top}_1.{port}_{at}:{name}\n"
        for at, name in enumerate(hardware.supply.channels)
        for port in ("words", "context")
    ]
    return "".join(["[connectivity]\n", *lines])


def _testbench(top: str, table: DecoderTable, program: Program) -> str:
    """Return a C++ program that runs a prompt, and checks its answers."""
    return fill(
        "testbench.cpp",
        headers=f'#include "{top}.h"\n',
        arguments="",
        arrays="".join(
            f"static {array.element} port_{array.name}[{array.size_elems}];\n"
            for array in program.arrays
        ),
        probe="tokens.golden.bin",
        loads="".join(
            f'    load("{array.name}", port_{array.name}, {array.size_elems});\n'
            for array in program.arrays
            if array.is_given
        ),
        parameters="",
        call="",
        run=_run(top, table, program),
        checks="".join(
            f'    passed &= check("{array.name}", port_{array.name}, '
            f"{{{', '.join(map(str, array.shape))}}});\n"
            for array in program.arrays
            if not array.is_given
        ),
    )


def _run(top: str, table: DecoderTable, program: Program) -> str:
    prompt = program.array("prompt").size_elems
    answers, vocabulary = program.array("logits").shape
    tables = program.array("tables").size_elems
    names = [f"words_{at}" for at in range(table.shape.channels)]
    lines = [f"std::vector<Share> {name}({table.channel_words});" for name in names]
    lines += [
        f"std::memcpy(static_cast<void *>({name}.data()), port_{name}, sizeof(port_{name}));"
        for name in names
    ]
    beats = answer_beats(table)
    drain, tile_beats = table.shape.drain, table.drain_cycles
    lines += [
        f"std::vector<Beat> prompt({-(-prompt // BEAT_NUMBERS)});",
        f"std::vector<Beat> tables({tables // BEAT_NUMBERS});",
        "std::memcpy(static_cast<void *>(prompt.data()), port_prompt, sizeof(port_prompt));",
        "std::memcpy(static_cast<void *>(tables.data()), port_tables, sizeof(port_tables));",
        f"std::vector<Results> out({answers * beats});",
        f"{top}({', '.join(f'{name}.data()' for name in [*names, *names])}, prompt.data(), "
        f"tables.data(), out.data(), {prompt}, {answers});",
        f"for (int answer = 0; answer < {answers}; answer++) {{",
        f"    const Results *own = out.data() + answer * {beats};",
        f"    port_tokens[answer] = own[{beats - 1}][0];",
        f"    for (int token = 0; token < {vocabulary}; token++) {{",
        f"        const int lane = token % {table.shape.outputs};",
        f"        const int beat = token / {table.shape.outputs} * {tile_beats} + lane / {drain};",
        f"        port_logits[answer * {vocabulary} + token] = own[beat][lane % {drain}];",
        "    }",
        "}",
    ]
    assert table.size(Matrix.VOCABULARY)[0] == vocabulary
    return "".join(f"    {line}\n" for line in lines)
