"""Kernels as they are read, and as gcc compiles them: every output, bit by bit, on random inputs.

``python results/reading/compiled.py kernel.cpp:top ... --include DIR`` compares each function. The
folders have headers for gcc, such as those of ``ap_int`` for C simulation; nothing of them is here.
Functions take and give numbers, arrays of them and streams of numbers.
"""

from __future__ import annotations

import argparse
import ctypes
import logging
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import streamopt as so
from streamopt.frontends.c.syntax.parsing import parsed
from streamopt.frontends.c.syntax.types import Subset
from streamopt.frontends.c.text.preprocess import preprocess
from streamopt.ir.program import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamopt.ir.element import ElementType

_FLAGS = ["-std=c++17", "-O1", "-ffp-contract=off", "-fwrapv", "-w", "-shared", "-fPIC"]
_DRIVER = """
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
struct Slot { void *data; long size; int whole, given; };
template <class T> T get(Slot s, long i) {
    return s.whole ? T(((long long *)s.data)[i]) : T(((double *)s.data)[i]);
}
template <class T> void put(Slot s, long i, const T &value) {
    if (s.whole) ((long long *)s.data)[i] = (long long)value;
    else ((double *)s.data)[i] = (double)value;
}
template <class A> struct Arg {
    A value;
    Arg(Slot s) : value(get<A>(s, 0)) {}
    A pass() { return value; }
    void back(Slot) {}
};
template <class T> struct Arg<T *> {
    typedef typename std::remove_cv<typename std::remove_all_extents<T>::type>::type Element;
    std::vector<Element> values;
    Arg(Slot s) : values(s.size) {
        for (long i = 0; i < s.size; i++) values[i] = get<Element>(s, i);
    }
    T *pass() { return (T *)values.data(); }
    void back(Slot s) { for (long i = 0; i < s.size; i++) put(s, i, values[i]); }
};
template <class T> struct Arg<T &> {
    typename std::remove_cv<T>::type value;
    Arg(Slot s) : value(get<typename std::remove_cv<T>::type>(s, 0)) {}
    T &pass() { return value; }
    void back(Slot s) { put(s, 0, value); }
};
%(streams)s
template <class R, class... A, std::size_t... I>
void call(R (*f)(A...), Slot *s, std::index_sequence<I...>) {
    std::tuple<Arg<A>...> given{Arg<A>(s[I])...};
    if constexpr (std::is_void<R>::value) f(std::get<I>(given).pass()...);
    else put(s[sizeof...(A)], 0, f(std::get<I>(given).pass()...));
    (std::get<I>(given).back(s[I]), ...);
}
template <class R, class... A> void run_all(R (*f)(A...), Slot *s) {
    call(f, s, std::index_sequence_for<A...>());
}
#include "%(source)s"
extern "C" void run(Slot *s) { run_all(&%(top)s, s); }
"""
_STREAMS = """
#include "hls_stream.h"
template <class T, int D> struct Arg<hls::stream<T, D> &> {
    hls::stream<T, D> stream;
    Arg(Slot s) { for (long i = 0; s.given && i < s.size; i++) stream.write(get<T>(s, i)); }
    hls::stream<T, D> &pass() { return stream; }
    void back(Slot s) {
        for (long i = 0; i < s.size && !stream.empty(); i++) put(s, i, stream.read());
    }
};
"""


class Slot(ctypes.Structure):
    """What the driver gets of an argument."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_long),
        ("whole", ctypes.c_int),
        ("given", ctypes.c_int),
    )


def random_values(
    element: ElementType, shape: tuple[int, ...], rng: np.random.Generator
) -> NDArray[Any]:
    """Return numbers that a type has, in the type in which the interpreter takes them."""
    if element.is_fixed:
        form = element.fixed_point
        most = 1 << min(form.width_bits - 1, 24)
        step = 2.0 ** (form.integer_bits - form.width_bits)
        return rng.integers(-most, most, shape) * step
    if element.is_float:
        return rng.normal(size=shape).astype(element.dtype)
    bits = min(element.bits, 16) - element.is_signed
    values = rng.integers(-(1 << bits) if element.is_signed else 0, 1 << bits, shape)
    return values.astype(element.dtype)


def argument_of(array: str, names: Sequence[str]) -> str:
    """Return the parameter that an array of the program stands for."""
    short = array.removesuffix("_out")
    wanted = (array, short, f"{short}_", array.rstrip("_"), short.rstrip("_"))
    return next((name for name in wanted if name in names), "")


def native(
    path: Path, top: str, include: Sequence[Path], slots: Sequence[Slot], has_streams: bool
) -> None:
    """Run the function that gcc makes of a file."""
    streams = _STREAMS if has_streams else ""
    text = _DRIVER % {"source": path.resolve(), "streams": streams, "top": top}
    with TemporaryDirectory() as folder:
        driver, made = Path(folder) / "driver.cpp", Path(folder) / "driver.so"
        driver.write_text(text, encoding="utf-8")
        folders = [f"-I{each.resolve()}" for each in include]
        command = ["g++", *_FLAGS, *folders, str(driver), "-o", str(made)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        ctypes.CDLL(str(made)).run((Slot * len(slots))(*slots))


def differences(path: Path, top: str, include: Sequence[Path]) -> list[str]:
    """Return the outputs of a function that the interpreter and gcc don't agree on."""
    program = so.load(path, options=so.SourceOptions(top=top, include=[path.parent]))
    file = parsed(preprocess(path, {}, [path.parent]))
    names = [item.name for item in file.functions[top].parameters]
    rng = np.random.default_rng(1)
    given = {
        array.name: random_values(array.element, array.shape, rng)
        for array in program.arrays
        if array.is_given and array.name not in program.values
    }
    for item in file.functions[top].parameters:
        if (
            item.type.kept is Subset.POSITIVE
            and item.name in given
            and item.type.element is not None
        ):
            form = item.type.element.fixed_point
            given[item.name] = abs(given[item.name]).clip(max=float(form.number(form.highest)))
    found = so.interpret(program, given)
    results = {a.name: a for a in program.arrays if a.role is Role.OUTPUT}
    buffers: dict[str, NDArray[Any]] = {}
    for array in program.arrays:
        name = argument_of(array.name, names) or array.name
        if array.name in given or (array.name in results and name not in buffers):
            kind = np.int64 if array.element.is_integer else np.float64
            start = given.get(array.name, np.zeros(array.shape, kind))
            buffers[name] = np.ascontiguousarray(start.astype(kind).reshape(-1))
    empty = np.zeros(1)
    listed = [buffers.get(name, empty) for name in (*names, "ap_return")]
    read = {argument_of(name, names) or name for name in given}
    slots = [
        Slot(b.ctypes.data, b.size, b.dtype.kind == "i", name in read)
        for name, b in zip((*names, "ap_return"), listed, strict=True)
    ]
    native(path, top, include, slots, "hls_stream" in path.read_text(encoding="utf-8"))
    wrong: list[str] = []
    for name in results:
        wanted = buffers[argument_of(name, names) or name]
        own = found[name].reshape(-1).astype(wanted.dtype)
        if not np.array_equal(own, wanted, equal_nan=True):
            wrong.append(f"{name}: {int((own != wanted).sum())} of {own.size} differ")
    return wrong


def main() -> None:
    """Compare, print, and end with an error if anything differs."""
    parser = argparse.ArgumentParser(description="Kernels as they are read and as gcc makes them.")
    parser.add_argument("kernels", nargs="+", help="file:function")
    parser.add_argument("--include", type=Path, action="append", default=[])
    options = parser.parse_args()
    logging.getLogger("streamopt").setLevel(logging.ERROR)
    is_wrong = False
    for kernel in options.kernels:
        file, _, top = kernel.rpartition(":")
        try:
            found = "; ".join(differences(Path(file), top, options.include)) or "equal"
            is_wrong |= found != "equal"
        except so.StreamoptError as error:
            found = f"refused: {error.diagnostics[0].code} {error.diagnostics[0].message}"
        except subprocess.CalledProcessError as error:
            found = f"gcc refuses: {str(error.stderr).strip().splitlines()[0]}"
        print(f"{kernel:60} {found}", flush=True)
    raise SystemExit(is_wrong)


if __name__ == "__main__":
    main()
