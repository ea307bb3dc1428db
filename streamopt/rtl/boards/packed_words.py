"""Arrays off the chip as a board has them: their words in memories of the chip.

A memory answers a master's bursts one after another, or gives and takes the words of a stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from streamopt.ir.element import ElementType

_READ_STATE = """\
  wire [63:0] {port}_araddr;
  wire [7:0] {port}_arlen;
  wire {port}_arvalid, {port}_rready;
  reg [8:0] {port}_left;
  reg [{top}:0] {port}_at;
  reg {port}_rvalid;
  reg [{last}:0] {port}_rdata, {port}_words [0:{end}];
  wire {port}_goes = {port}_left != 0 & (~{port}_rvalid | {port}_rready);
  wire {port}_arready = {port}_left == 0;
  initial $readmemh("{port}.hex", {port}_words);
  always @(posedge clk) begin
    if ({port}_goes) {port}_rdata <= {port}_words[{port}_at];
    if (rst) begin
      {port}_left <= 0;
      {port}_rvalid <= 0;
    end else begin
      {port}_rvalid <= {port}_goes | {port}_rvalid & ~{port}_rready;
      if ({port}_arvalid & {port}_arready) begin
        {port}_left <= {port}_arlen + 1;
        {port}_at <= {port}_araddr[{low} +: {bits}];
      end else if ({port}_goes) begin
        {port}_left <= {port}_left - 1;
        {port}_at <= {port}_at + 1;
      end
    end
  end
"""
_WRITE_STATE = """\
  wire [63:0] {port}_awaddr;
  wire {port}_awvalid, {port}_wvalid, {port}_wlast, {port}_bready;
  wire [{last}:0] {port}_wdata;
  reg {port}_wready, {port}_bvalid;
  reg [{top}:0] {port}_at;
  wire {port}_awready = ~{port}_wready;
  wire {port}_moves = {port}_wvalid & {port}_wready;
  always @(posedge clk)
    if (rst) begin
      {port}_wready <= 0;
      {port}_bvalid <= 0;
    end else begin
      {port}_wready <= {port}_wready ? ~({port}_moves & {port}_wlast) : {port}_awvalid;
      {port}_bvalid <= {port}_moves & {port}_wlast | {port}_bvalid & ~{port}_bready;
      {port}_at <= {port}_moves ? {port}_at + 1 :
                   {port}_awvalid & {port}_awready ? {port}_awaddr[{low} +: {bits}] : {port}_at;
    end
"""
_READ_STREAM = """\
  wire {port}_tready;
  reg {port}_tvalid;
  reg [{top}:0] {port}_at;
  reg [31:0] {port}_left;
  reg [{last}:0] {port}_tdata, {port}_words [0:{end}];
  wire {port}_goes = {port}_left != 0 & (~{port}_tvalid | {port}_tready);
  wire {port}_tlast = {port}_left == 0;
  initial $readmemh("{port}.hex", {port}_words);
  always @(posedge clk) begin
    if ({port}_goes) {port}_tdata <= {port}_words[{port}_at];
    if (rst) begin
      {port}_left <= {moved};
      {port}_at <= 0;
      {port}_tvalid <= 0;
    end else begin
      {port}_tvalid <= {port}_goes | {port}_tvalid & ~{port}_tready;
      {port}_left <= {port}_left - {port}_goes;
      if ({port}_goes) {port}_at <= {port}_at == {end} ? 0 : {port}_at + 1;
    end
  end
"""
_WRITE_STREAM = """\
  wire {port}_tvalid, {port}_tlast;
  wire {port}_tready = 1;
  wire [{last}:0] {port}_tdata;
  reg [{top}:0] {port}_at;
  wire {port}_moves = {port}_tvalid;
  always @(posedge clk)
    {port}_at <= rst ? 0 : {port}_at + {port}_moves;
"""
_COMPARED = """\
  reg [{last}:0] {port}_found, {port}_words [0:{end}];
  reg [{last}:0] {port}_expected, {port}_wanted [0:{end}];
  reg [{last}:0] {port}_known, {port}_mask [0:{end}];
  initial $readmemh("{port}.hex", {port}_wanted);
  initial $readmemh("{port}_mask.hex", {port}_mask);
  always @(posedge clk) begin
    if ({port}_moves) {port}_words[{port}_at] <= {port}_{data};
    {port}_found <= {port}_words[at[{top}:0]];
    {port}_expected <= {port}_wanted[at[{top}:0]];
    {port}_known <= {port}_mask[at[{top}:0]];
  end
  wire {port}_differs =
    was_at < {words} && (({port}_found ^ {port}_expected) & {port}_known) != 0;
"""
_READ_WIRES = ("araddr", "arlen", "arvalid", "arready", "rdata", "rvalid", "rready")
_WRITE_WIRES = ("awaddr", "awvalid", "awready", "wdata", "wvalid", "wready", "wlast")
_ANSWER_WIRES = ("bvalid", "bready")
_STREAM_WIRES = ("tdata", "tvalid", "tready", "tlast")


@dataclass(frozen=True, slots=True)
class PackedWords:
    """The order of an array's elements in the words of its memories off the chip.

    Attributes
    ----------
    extents, order, lanes
        See `streamopt.codegen.packing.Packing`.
    stride, part
        Elements of an iteration in one memory with the room that is left, and without.
    word_elems
        For which a word has room.
    words
        In one memory.
    times
        That they are moved.
    is_stream
        Whether they come or leave in sequence, without addresses.
    """

    extents: tuple[int, ...]
    order: tuple[int, ...]
    lanes: tuple[int, ...]
    stride: int
    part: int
    word_elems: int
    words: int
    times: int
    is_stream: bool

    def place(self, flat: int) -> tuple[int, int]:
        """Return the memory of an element, and its place among those that this has room for."""
        index: dict[int, int] = {}
        for at in reversed(range(len(self.extents))):
            flat, index[at] = divmod(flat, self.extents[at])
        iteration = lane = 0
        for at in self.order:
            tile, within = divmod(index[at], self.lanes[at])
            iteration = iteration * -(-self.extents[at] // self.lanes[at]) + tile
            lane = lane * self.lanes[at] + within
        memory, rest = divmod(lane, self.part)
        return memory, iteration * self.stride + rest


def word_ports(
    port: str, packed: PackedWords, bits: int, *, is_given: bool, is_compared: bool
) -> tuple[str, ...]:
    """Return the Verilog around a memory's port, and what is at each wire of it.

    Parameters
    ----------
    bits
        Of a word.
    """
    top = max(1, (packed.words - 1).bit_length()) - 1
    sizes: Mapping[str, int | str] = {
        "port": port,
        "top": top,
        "bits": top + 1,
        "low": (bits // 8).bit_length() - 1,
        "last": bits - 1,
        "end": packed.words - 1,
        "words": packed.words,
        "moved": packed.words * packed.times,
        "data": "tdata" if packed.is_stream else "wdata",
    }
    if packed.is_stream:
        text, wires = (_READ_STREAM if is_given else _WRITE_STREAM), _STREAM_WIRES
    elif is_given:
        text, wires = _READ_STATE, _READ_WIRES
    else:
        text, wires = _WRITE_STATE, (*_WRITE_WIRES, *_ANSWER_WIRES)
    joined = [f".{port}_{wire}({port}_{wire})" for wire in wires]
    joined += [] if packed.is_stream else [f".{port}_base(64'd0)"]
    parts = [text, _COMPARED] if is_compared else [text]
    return ("".join(part.format(**sizes) for part in parts), *joined)


def packed_words(
    packed: PackedWords, element: ElementType, elements: Sequence[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the words of each memory, and which of their bits are known."""
    stored, sign = element.outside_bits, 1 << element.bits - 1
    memories = max((packed.place(flat)[0] for flat in range(len(elements))), default=0) + 1
    words = [[0] * packed.words for _ in range(memories)]
    known = [[0] * packed.words for _ in range(memories)]
    for flat, own in enumerate(elements):
        memory, place = packed.place(flat)
        at, first = divmod(place, packed.word_elems)
        value = own - (own & sign) * 2 if element.is_signed else own
        words[memory][at] |= (value & (1 << stored) - 1) << first * stored
        known[memory][at] |= (1 << stored) - 1 << first * stored
    yield from zip(words, known, strict=True)
