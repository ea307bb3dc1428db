"""Programs and modules in a user's Python file, which is run to have them."""

import importlib.util
import sys
import traceback
from pathlib import Path
from typing import Any

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.extras import installing
from streamopt.formats.names import did_you_mean, quoted
from streamopt.frontends.dsl.builder import Builder
from streamopt.ir.program import Program

_LOADED = "streamopt_user_module"
_KINDS = "a torch.nn.Module, a program of so.dsl, or a way to make one"


def load_object(spec: str) -> Any:
    """Return a program, or a PyTorch module, of a Python file.

    Parameters
    ----------
    spec
        ``file.py:name``: a program of `streamopt.dsl`, built or not, a PyTorch module or its
        class, or a function without arguments that returns one. The name may be left out where a
        file has only one. The file is run.

    Raises
    ------
    FrontendError
        E161 where PyTorch is missing, E164 for the file, E165 for the name in it; and as the
        program's ``build``.
    """
    file, _, name = spec.rpartition(":") if ".py:" in spec else (spec, "", "")
    if ".py:" in spec and not name.isidentifier():
        message = f"{quoted(spec)} doesn't say which module of which file"
        raise FrontendError(Diagnostic("E164", message, None, "write model.py:Name"))
    names = _executed(Path(file))
    name = name or _only(names, file)
    found = _named(names, name, file)
    made = found if _is_one(found) else _called(found, name, file)
    if not _is_one(made):
        message = f"{name} makes a {type(made).__name__}, not {_KINDS}"
        raise FrontendError(Diagnostic("E165", message, SourceLoc(file)))
    return made.build() if isinstance(made, Builder) else made


def _is_one(found: object) -> bool:
    return isinstance(found, Program | Builder) or _is_module(found)


def _module_class() -> type | None:
    """Return the class of PyTorch's modules; None as long as nobody has imported torch."""
    torch = sys.modules.get("torch")
    return None if torch is None else torch.nn.Module


def _is_module(found: object) -> bool:
    kind = _module_class()
    return kind is not None and isinstance(found, kind)


def _only(names: dict[str, Any], file: str) -> str:
    """Return the name of the only program of a file, or of its only module."""
    kind = _module_class()
    own = {
        name: value
        for name, value in names.items()
        if isinstance(value, type) and value.__module__ == _LOADED
    }
    ways = (
        [name for name, value in names.items() if isinstance(value, Program)],
        [name for name, value in names.items() if isinstance(value, Builder)],
        [name for name, value in names.items() if _is_module(value)],
        [name for name, value in own.items() if kind is not None and issubclass(value, kind)],
    )
    found = next((way for way in ways if way), list[str]())
    if len(found) == 1:
        return found[0]
    defined = f"several: {', '.join(found)}" if found else f"no name for {_KINDS}"
    message = f"the file defines {defined}"
    hint = f"say which one: {file}:{found[0]}" if found else f"write {file}:NAME"
    raise FrontendError(Diagnostic("E165", message, SourceLoc(file), hint))


def _executed(path: Path) -> dict[str, Any]:
    """Return the names that a file defines."""
    file = str(path)
    if not path.is_file():
        raise FrontendError(Diagnostic("E164", "the file can't be read", SourceLoc(file)))
    spec = importlib.util.spec_from_file_location(_LOADED, path)
    if spec is None or spec.loader is None:
        message = "the file is no Python file"
        raise FrontendError(Diagnostic("E164", message, SourceLoc(file), "name it *.py"))
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    sys.path.insert(0, str(path.parent.resolve()))
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except FrontendError:  # of streamopt.dsl, which says where
        raise
    except (Exception, SystemExit) as error:  # the user's code runs here
        if isinstance(error, ModuleNotFoundError) and error.name == "torch":
            message, hint = "reading PyTorch modules needs torch", installing("torch")
            raise FrontendError(Diagnostic("E161", message, None, hint)) from None
        raise FrontendError(_raised("E164", "the file", error, file)) from None
    finally:
        sys.path[:] = before
        sys.modules.pop(spec.name, None)
    return vars(module)


def _named(names: dict[str, Any], name: str, file: str) -> Any:
    if name in names:
        return names[name]
    message = f"{quoted(name)} is not defined in the file"
    callables = [key for key, value in names.items() if callable(value) and key[0] != "_"]
    raise FrontendError(Diagnostic("E165", message, SourceLoc(file), did_you_mean(name, callables)))


def _called(found: Any, name: str, file: str) -> Any:
    if not callable(found):
        message = f"{name} is a {type(found).__name__}, not {_KINDS}"
        raise FrontendError(Diagnostic("E165", message, SourceLoc(file)))
    try:
        return found()
    except FrontendError:
        raise
    except (Exception, SystemExit) as error:  # the user's code runs here
        raise FrontendError(_raised("E165", f"{name}()", error, file)) from None


def _raised(code: str, what: str, error: BaseException, file: str) -> Diagnostic:
    """Return the exception of the user's code, at its innermost line in the file."""
    own = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.endswith(file)]
    line = own[-1].lineno if own else error.lineno if isinstance(error, SyntaxError) else None
    reason = (str(error).splitlines() or [""])[0][:200]
    message = f"{what} raises {type(error).__name__}{': ' if reason else ''}{reason}"
    return Diagnostic(code, message, SourceLoc(file, line=line))
