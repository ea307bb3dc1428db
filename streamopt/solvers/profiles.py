"""Option profiles: TOML files of native solver options, packaged or the user's own."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from streamopt.errors import Diagnostic, SolverError, reason
from streamopt.files import read_text
from streamopt.solvers.outcome import INTEGRAL_GAP
from streamopt.solvers.watch import Watch

PROFILE_FOLDER = "solvers"


def load_profile(solver: str, name_or_path: str | None = None) -> Mapping[str, object]:
    """Read the options of a profile.

    Parameters
    ----------
    solver
        Name of the solver in the registry.
    name_or_path
        None for the packaged default; a path ending in ``.toml``; or the name of a file
        ``solvers/<solver>/<name>.toml`` under the current directory.

    Raises
    ------
    SolverError
        E505 if there is no such profile or it is not TOML.
    """
    if name_or_path is None:
        packaged = resources.files("streamopt.solvers") / "profiles" / f"{solver}.toml"
        return tomllib.loads(packaged.read_text(encoding="utf-8"))
    if name_or_path.endswith(".toml"):
        path = Path(name_or_path)
    else:
        path = Path(PROFILE_FOLDER, solver, f"{name_or_path}.toml")
    try:
        return tomllib.loads(read_text(path))
    except FileNotFoundError:
        message = f"profile '{name_or_path}' for solver '{solver}' does not exist"
        raise SolverError(Diagnostic("E505", message, hint=_existing(solver))) from None
    except (OSError, ValueError) as error:
        message = f"profile '{path}' can't be read: {reason(error)}"
        raise SolverError(Diagnostic("E505", message)) from error


@dataclass(frozen=True, slots=True)
class NativeNames:
    """A solver's own names of the options that every solve sets; empty where it has none."""

    time_limit: str
    seed: str = ""
    threads: str = ""
    gap: str = ""
    """Of the absolute gap at which a whole-number objective is proved."""
    fixed: Mapping[str, object] = field(default_factory=dict[str, object])
    """Options that no profile may change."""


def apply_options(
    solver: str, names: NativeNames, watch: Watch, set_option: Callable[[str, object], bool]
) -> None:
    """Set the packaged default options, then those of the profile, then seed, threads and time.

    ``set_option`` returns false if the solver refuses the option or its value.

    Raises
    ------
    SolverError
        E506, naming every option of the profiles that was refused.
    """
    options = watch.options
    if options.integral_objective and names.gap:
        set_option(names.gap, INTEGRAL_GAP)
    profile = {**load_profile(solver), **options.profile}
    refused = [name for name, setting in profile.items() if not set_option(name, setting)]
    if refused:
        raise SolverError(*(unknown_option(solver, name, profile[name]) for name in refused))
    asked = {
        names.seed: options.seed,
        names.threads: options.threads,
        names.time_limit: watch.remaining_seconds(),
        **names.fixed,
    }
    for name, setting in asked.items():
        if name and setting is not None:
            set_option(name, setting)


def unknown_option(solver: str, name: str, setting: object) -> Diagnostic:
    """Diagnostic for an option that a solver does not have, or a value it does not take."""
    message = f"solver '{solver}' refuses the option {name} = {setting!r}"
    hint = f"the options are described on the page that '{solver}/default.toml' cites"
    return Diagnostic("E506", message, hint=hint)


def _existing(solver: str) -> str:
    folder = Path(PROFILE_FOLDER, solver)
    names = sorted(path.stem for path in folder.glob("*.toml"))
    if not names:
        return f"there are no profiles in '{folder}' under the current directory"
    return f"profiles in '{folder}': {', '.join(names)}"
