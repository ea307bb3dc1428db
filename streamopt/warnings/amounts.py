"""A design against its device: what is too much (W04), crowded (W05) or unheard of (W08, W10)."""

from collections.abc import Iterator

from streamopt.errors import DesignWarning
from streamopt.ir.network import Network, Place
from streamopt.ir.schedule import MOST_ARGUMENT_BANKS, PUBLISHED_ARGUMENT_BANKS
from streamopt.target.device import Target
from streamopt.target.resources import RESOURCE_WORDS, Fit, Resources
from streamopt.target.routed import fullest_design

_OPTIONS = {"dsps": "--built-dsp", "luts": "--lut", "ffs": "--ff"}
"""Of limits that are not called as their resource is."""


def amount_warnings(used: Resources, device: Target) -> Iterator[DesignWarning]:
    """Yield W04, W05 and W10 for what a design takes of its device.

    A design that needs more than one region is held against the shares of all of them.
    """
    over = used.over(device.total)
    for name in over:
        amount, most = getattr(used, name), getattr(device.total, name)
        words = f"{amount} {RESOURCE_WORDS[name]} are more than the {most} of {device.name}"
        yield DesignWarning("W04", words, remedy="ask for a design that fits: --fit slr")
    if over:
        return
    in_one = not used.over(device.slr)
    fit = Fit.SLR if in_one else Fit.DEVICE
    whole, advised = device.slr if in_one else device.total, device.budget(fit)
    region = "an SLR" if in_one and device.slrs > 1 else device.name
    for name in used.over(advised):
        amount, most = getattr(used, name), getattr(advised, name)
        share = 100 * amount / max(1, getattr(whole, name))
        words = f"{amount} {RESOURCE_WORDS[name]} are {share:.0f} % of {region}"
        cause = f"the vendor advises {most} at most"
        if name == "luts":
            cause += ", and few designs above it are routed at the clock"
        remedy = f"give a limit: {_OPTIONS.get(name, '--' + name)} {most}"
        yield DesignWarning("W05", words, cause, remedy=remedy)
    yield from _unheard_of(used, device)


def _unheard_of(used: Resources, device: Target) -> Iterator[DesignWarning]:
    """Yield W10 for more than any design of this kind that is known to have been routed."""
    most = device.floorplan.exceeded_routed(used)
    if most:
        parts = [
            f"{getattr(used, name)} {RESOURCE_WORDS[name]}, and not {amount}"
            for name, amount in most.items()
        ]
        words = "no design of this kind is known to have been routed with so much"
        clock = f"the fullest ran at {fullest_design().clock_mhz:.0f} MHz"
        remedy = f"--fit {Fit.BOARD} keeps within what was routed"
        cause = f"{', '.join(parts)}; {clock}"
        yield DesignWarning("W10", words, cause, remedy=remedy)


def bank_warnings(network: Network) -> Iterator[DesignWarning]:
    """Yield W08 for an argument in more banks than any public report has."""
    for memory in network.memories:
        if memory.place is Place.ARGUMENT and memory.banks > PUBLISHED_ARGUMENT_BANKS:
            words = f"{memory.name} is split into {memory.banks} banks, each a port of the kernel"
            cause = f"no published report has more than {PUBLISHED_ARGUMENT_BANKS}"
            remedy = f"solve with --level opt6 and --banks {MOST_ARGUMENT_BANKS}, or fewer DSPs"
            yield DesignWarning("W08", words, cause, remedy=remedy)
