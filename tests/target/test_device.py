from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from streamopt.errors import TargetError
from streamopt.ir.element import ElementType
from streamopt.ir.operators import Operator
from streamopt.target.device import Target, device_names
from streamopt.target.resources import RESOURCE_NAMES, Fit, Resources

DEVICES = Path(__file__).parents[2] / "streamopt/target/data/devices"
FLOAT = ElementType.FLOAT


def test_devices_are_those_announced() -> None:
    assert device_names() == (
        *("kv260", "u250", "u280", "u55c", "ulx3s", "v80", "vu9p", "xc7z020", "zcu104", "zu3eg"),
    )


@pytest.mark.parametrize("name", device_names())
def test_regions_make_up_the_device(name: str) -> None:
    target = Target.named(name)
    plan = target.floorplan
    for resource in RESOURCE_NAMES:
        amounts = [getattr(region.whole, resource) for region in plan.regions]
        assert 0 <= getattr(plan.total, resource) - sum(amounts) < target.slrs
        assert getattr(plan.slr, resource) == sum(amounts) // target.slrs
    assert all(region.left.over(region.whole) == () for region in plan.regions)


@pytest.mark.parametrize("name", device_names())
def test_every_table_has_a_source(name: str) -> None:
    document = tomllib.loads((DEVICES / f"{name}.toml").read_text(encoding="utf-8"))
    tables = [document, document["guideline"], *document["regions"], *document["shell"]["leaves"]]
    assert all(table["source"] for table in tables)
    assert document["shell"]["platform"]


@pytest.mark.parametrize("name", device_names())
def test_every_channel_is_next_to_a_region(name: str) -> None:
    target = Target.named(name)
    for channel in target.channels:
        assert any(region.reaches(channel.name) for region in target.floorplan.regions)


@pytest.mark.parametrize("name", device_names())
def test_parts_of_a_device_are_ordered(name: str) -> None:
    target = Target.named(name)
    found = {fit: target.budget(fit) for fit in Fit}
    assert found[Fit.SLR].over(found[Fit.RAW]) == ()
    assert found[Fit.BOARD].over(found[Fit.DEVICE]) == ()
    assert found[Fit.DEVICE].over(found[Fit.RAW_DEVICE]) == ()
    assert found[Fit.RAW].over(found[Fit.RAW_DEVICE]) == ()
    assert found[Fit.BOARD].luts <= 275_000
    assert found[Fit.BOARD].dsps <= 1940


def test_parts_of_the_u280() -> None:
    target = Target.named("u280")
    assert target.budget(Fit.SLR) == Resources(2406, 1075, 256, 304_192, 434_560)
    assert target.budget(Fit.BOARD) == Resources(1940, 811, 256, 258_300, 373_000)
    assert target.budget(Fit.RAW) == Resources(3008, 1344, 320, 434_560, 869_120)
    assert target.budget(Fit.RAW_DEVICE) == Resources(9024, 4032, 960, 1_303_680, 2_607_360)
    assert [region.whole.dsps for region in target.floorplan.regions] == [2880, 3072, 3072]


def test_the_budget_of_a_routed_platform_is_the_vendors() -> None:
    left = [region.left for region in Target.named("u55c").floorplan.regions]
    whole = sum(left, Resources())
    assert (whole.luts, whole.ffs, whole.bram18, whole.dsps) == (1_177_220, 2_433_025, 3632, 9020)


def test_the_largest_region_at_a_channel_is_taken() -> None:
    target = Target.named("u280")
    second = target.floorplan.regions[1].left.luts
    assert target.budget(Fit.BOARD, ["DDR[1]"]).luts == second * 70 // 100
    assert target.budget(Fit.BOARD, ["DDR[1]", "HBM[7]"]) == target.budget(Fit.BOARD)


MULTIPLIERS = ("maxdsp", "fulldsp", "meddsp", "fabric")


@pytest.mark.parametrize("name", device_names())
def test_every_float_operator_has_a_cost(name: str) -> None:
    target = Target.named(name)
    for operator in Operator:
        for element in (FLOAT, ElementType.DOUBLE):
            cost = target.operator(operator, element)
            assert cost.clock_ns <= target.clock_ns
            assert cost.source


@pytest.mark.parametrize("name", device_names())
def test_integers_have_the_arithmetic_of_loops(name: str) -> None:
    target = Target.named(name)
    for element in ElementType:
        for operator in (Operator.ADD, Operator.MUL, Operator.MAX, Operator.SELECT, Operator.DIV):
            assert target.operator(operator, element).source


def test_published_operators_of_the_u280() -> None:
    target = Target.named("u280", clock_ns=3.33)
    adder, multiplier = target.operator(Operator.ADD, FLOAT), target.operator(Operator.MUL, FLOAT)
    assert (adder.latency_cycles, adder.dsps, adder.luts, adder.ffs) == (6, 2, 198, 318)
    assert (multiplier.latency_cycles, multiplier.dsps) == (3, 3)
    fabric = target.operator(Operator.ADD, FLOAT, "fabric")
    assert (fabric.latency_cycles, fabric.dsps, fabric.luts) == (4, 0, 338)
    assert target.operator(Operator.EXP, FLOAT).dsps == 7


def test_multipliers_pay_for_dsps_with_luts() -> None:
    target = Target.named("u280", clock_ns=3.33)
    costs = [target.operator(Operator.MUL, FLOAT, name) for name in MULTIPLIERS]
    assert [cost.dsps for cost in costs] == [3, 2, 1, 0]
    assert [cost.luts for cost in costs] == sorted({cost.luts for cost in costs})
    assert [target.builds(Operator.MUL, FLOAT, name) for name in (*MULTIPLIERS, "packed")] == [
        *[True] * 4,
        False,
    ]
    assert not Target.named("xc7z020").builds(Operator.MUL, FLOAT, "meddsp")


@pytest.mark.parametrize(
    ("clock_ns", "adder", "fabric"), [(3.33, 6, 4), (4.0, 6, 3), (4.55, 4, 3), (5.0, 4, 3)]
)
def test_adders_have_the_stages_of_their_clock(clock_ns: float, adder: int, fabric: int) -> None:
    target = Target.named("u55c", clock_ns=clock_ns)
    assert target.operator(Operator.ADD, FLOAT).latency_cycles == adder
    assert target.operator(Operator.ADD, FLOAT, "fabric").latency_cycles == fabric
    assert target.operator(Operator.MUL, FLOAT).latency_cycles == 3


def test_packed_products_and_floats_of_a_dsp58_are_not_taken_unasked() -> None:
    u280, v80 = Target.named("u280"), Target.named("v80", clock_ns=3.33)
    for target in (u280, v80):
        assert target.operator(Operator.MUL, ElementType.INT8).products == 1
        assert target.operator(Operator.ADD, FLOAT).implementation == "fulldsp"
    packed = u280.operator(Operator.MUL, ElementType.INT8, "packed")
    assert (packed.dsps, packed.products) == (1, 2)
    four = ElementType("ap_fixed<4, 4>")
    assert u280.operator(Operator.MUL, four).dsps == 0
    assert u280.operator(Operator.MUL, four, "packed").products == 4
    assert v80.operator(Operator.ADD, FLOAT, "primitivedsp").dsps == 1
    with pytest.raises(TargetError, match=r"E854 .*'primitivedsp'"):
        u280.operator(Operator.ADD, FLOAT, "primitivedsp")


def test_a_table_extends_one_of_the_package(tmp_path: Path) -> None:
    text = (DEVICES / "u280.toml").read_text(encoding="utf-8")
    (tmp_path / "card.toml").write_text(
        text.replace('operators = "ultrascale_plus"', 'operators = "own.toml"', 1)
    )
    own = (DEVICES.parent / "operators" / "versal.toml").read_text(encoding="utf-8")
    (tmp_path / "own.toml").write_text(own)
    assert Target.load(tmp_path / "card.toml").operators.rows == Target.named("v80").operators.rows
    (tmp_path / "own.toml").write_text(own.replace("ultrascale_plus", "virtex2"))
    with pytest.raises(TargetError, match=r"E853 .*virtex2"):
        Target.load(tmp_path / "card.toml")


def test_a_clock_between_rows_takes_the_faster_row() -> None:
    assert Target.named("u280", clock_ns=4.0).operator(Operator.ADD, FLOAT).clock_ns == 3.33
    assert Target.named("u280", clock_ns=9.0).operator(Operator.ADD, FLOAT).clock_ns == 5.0


def test_a_clock_faster_than_the_table_is_an_error() -> None:
    with pytest.raises(TargetError, match=r"E855 no operator of u280 .* 2\.0 ns"):
        Target.named("u280", clock_ns=2.0)
    with pytest.raises(TargetError, match=r"E855 no row of .add. of float .* 2\.0 ns"):
        replace(Target.named("u280"), clock_ns=2.0).operator(Operator.ADD, FLOAT)


def test_unknown_device_lists_the_known_ones() -> None:
    with pytest.raises(
        TargetError, match=r"E851 device 'none'(.|\n)*hint: known devices: kv260, u250, u280"
    ):
        Target.named("none")


@pytest.mark.parametrize(("name", "meant"), [("U280", "u280"), ("u55", "u55c"), ("vu9", "vu9p")])
def test_the_nearest_device_is_named(name: str, meant: str) -> None:
    with pytest.raises(TargetError, match=rf"E851 (.|\n)*did you mean '{meant}'\? known devices: "):
        Target.named(name)


def test_a_target_is_shown_in_a_line() -> None:
    assert str(Target.named("u280")) == "Target(u280: 3 SLRs, 9024 DSPs, 3.33 ns)"
    assert repr(Target.named("zu3eg")) == "Target(zu3eg: 1 SLR, 360 DSPs, 5.0 ns)"


@pytest.mark.parametrize(("name", "file"), [("u280", "ultrascale_plus"), ("xc7z020", "zynq")])
def test_a_missing_operator_names_the_table(name: str, file: str) -> None:
    target = Target.named(name)
    bare = replace(target, operators=replace(target.operators, rows=()))
    with pytest.raises(
        TargetError, match=rf"E854 .*\n.*add an \[\[operator\]\] row to {file}.toml"
    ):
        bare.operator(Operator.ADD, FLOAT)


def test_unknown_implementation_lists_the_known_ones() -> None:
    with pytest.raises(TargetError, match=r"E854 .*'meddsp'(.|\n)*fulldsp, fabric"):
        Target.named("u280").operator(Operator.ADD, FLOAT, "meddsp")


@pytest.mark.parametrize("clock_ns", [0.0, -1.0, float("nan")])
def test_a_clock_is_positive(clock_ns: float) -> None:
    with pytest.raises(TargetError, match="E856"):
        Target.named("u280", clock_ns)


def test_a_users_device(tmp_path: Path) -> None:
    text = (DEVICES / "u280.toml").read_text(encoding="utf-8")
    text = text.replace('operators = "ultrascale_plus"', 'operators = "own.toml"')
    (tmp_path / "card.toml").write_text(text.replace("dsps = 9024", "dsps = 100"))
    (tmp_path / "own.toml").write_text(
        '[[operator]]\noperators = ["add"]\nelements = ["float"]\nimplementation = "fabric"\n'
        'clock_ns = 2.0\nlatency_cycles = 9\ndsps = 0\nluts = 1\nffs = 1\nsource = "measured"\n'
    )
    target = Target.load(tmp_path / "card.toml", clock_ns=2.5)
    assert target.total.dsps == 100
    assert target.operator(Operator.ADD, FLOAT).latency_cycles == 9


def test_all_problems_of_a_users_device_at_once(tmp_path: Path) -> None:
    text = (DEVICES / "u280.toml").read_text(encoding="utf-8")
    text = text.replace("slrs = 3", 'slrs = "three"').replace("dsps = 9024", "dsp = 9024")
    (tmp_path / "card.toml").write_text(text)
    with pytest.raises(TargetError) as raised:
        Target.load(tmp_path / "card.toml")
    places = {d.loc.path for d in raised.value.diagnostics if d.loc is not None}
    assert {d.code for d in raised.value.diagnostics} == {"E853"}
    assert places == {"slrs", "total.dsps", "total.dsp"}


OLD = """
source = "own"
name = "old"
part = "xcvu9p"
default_clock_ns = 4.0
operators = "ultrascale_plus"
memories = "ultrascale_plus"
slrs = 2
hbm_channels = 1
ddr_channels = 0
hbm_bytes_per_s = 1
total = { dsps = 1200, bram18 = 1440, uram = 320, luts = 394080, ffs = 788160 }
slr = { dsps = 600, bram18 = 720, uram = 160, luts = 197040, ffs = 394080 }
"""


def test_a_users_device_without_regions_has_equal_ones_and_no_shell(tmp_path: Path) -> None:
    (tmp_path / "old.toml").write_text(OLD)
    target = Target.load(tmp_path / "old.toml")
    shares = Resources(480, 576, 128, 137_928, 197_040)
    assert target.budget(Fit.SLR) == target.budget(Fit.BOARD) == shares
    assert target.budget(Fit.DEVICE) == shares.scaled(2)


@pytest.mark.parametrize(
    ("more", "place", "problem"),
    [
        (
            "[[regions]]\nsource = 's'\ndsps = 1\nbram18 = 1\nuram = 1\nluts = 1\nffs = 1\n",
            "regions",
            "regions lists 1 of 2 SLRs",
        ),
        (
            "[shell]\nplatform = 'p'\n[[shell.leaves]]\nsource = 's'\n"
            "dsps = 1\nbram18 = 1\nuram = 1\nluts = 1\nffs = 1\n",
            "shell",
            "what is left is listed for 1 of 2 SLRs",
        ),
        (
            "[shell]\nplatform = 'p'\n"
            + 2
            * "[[shell.leaves]]\nsource = 's'\ndsps = 601\nbram18 = 1\nuram = 1\nluts = 1\n"
            "ffs = 1\n",
            "shell",
            "more dsps are left of SLR0 than it has",
        ),
        ("[guideline]\nluts_percent = 101\n", "guideline.luts_percent", "100"),
    ],
)
def test_regions_of_a_users_device_fit_together(
    more: str, place: str, problem: str, tmp_path: Path
) -> None:
    (tmp_path / "card.toml").write_text(OLD + more)
    with pytest.raises(TargetError, match=rf"E853 (.|\n)*{problem}") as raised:
        Target.load(tmp_path / "card.toml")
    assert [d.loc.path for d in raised.value.diagnostics if d.loc is not None] == [place]


def test_unknown_table_of_a_users_device(tmp_path: Path) -> None:
    text = (DEVICES / "u280.toml").read_text(encoding="utf-8")
    (tmp_path / "card.toml").write_text(text.replace('"ultrascale_plus"', '"virtex2"'))
    with pytest.raises(TargetError, match=r"E853 .*virtex2(.|\n)*ultrascale_plus, versal, zynq"):
        Target.load(tmp_path / "card.toml")


def test_unreadable_file(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="E852"):
        Target.load(tmp_path / "missing.toml")
    (tmp_path / "broken.toml").write_text("name = ")
    with pytest.raises(TargetError, match="E852"):
        Target.load(tmp_path / "broken.toml")


def test_resources_over_budget_are_named() -> None:
    budget = Target.named("xc7z020").total
    assert Resources(220, 280, 0, 53200, 106400).over(budget) == ()
    assert Resources(1, 281, 1).over(budget) == ("bram18", "uram")
    assert Resources.__slots__ == RESOURCE_NAMES
