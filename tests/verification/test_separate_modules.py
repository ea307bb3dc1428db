"""Modules that are compiled apart: large ones without others inside, of which there are many."""

from streamopt.verification.csim.separate_modules import (
    LARGE_CHARACTERS,
    MANY,
    configuration,
    instance_counts,
    separate_modules,
)

ADDER = f"module adder(a, b, y);\n  // {'-' * LARGE_CHARACTERS}\nendmodule\n"
PAIR = "module pair(a, y);\n  adder first (\n  );\n  adder second (\n  );\nendmodule\n"


def top(pairs: int) -> str:
    instances = "".join(f"  pair pair_{at} (\n  );\n" for at in range(pairs))
    return f"module top(a, y);\n{instances}  adder last (\n  );\nendmodule\n"


def test_instances_are_counted_through_modules() -> None:
    counts = instance_counts([ADDER, PAIR, top(3)], "top")
    assert counts == {"adder": 7, "pair": 3, "top": 1}


def test_lanes_that_are_written_once_count_as_many() -> None:
    body = "    for (at = 0; at < 5; at = at + 1) begin : lane\n      adder operator (\n      );\n"
    counts = instance_counts([ADDER, f"module lanes(a, y);\n{body}endmodule\n"], "lanes")
    assert counts == {"adder": 5, "lanes": 1}


def test_large_modules_of_which_there_are_many() -> None:
    assert separate_modules([ADDER, PAIR, top(MANY // 2)], "top") == ("adder",)
    assert separate_modules([ADDER, PAIR, top(MANY // 4)], "top") == ()


def test_a_small_module_is_compiled_where_it_is() -> None:
    small = "module adder(a, b, y);\nendmodule\n"
    assert separate_modules([small, PAIR, top(MANY)], "top") == ()


def test_what_verilator_is_told() -> None:
    assert configuration(["adder"]) == '`verilator_config\nhier_block -module "adder"\n'
