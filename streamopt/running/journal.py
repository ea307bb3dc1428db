"""The journal of a run's folder: which steps are done, of what, and what they wrote."""

import fcntl
import json
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from streamopt.errors import Diagnostic, OutputError, SourceLoc, VerificationError, reason
from streamopt.files import read_text, write_file
from streamopt.running.digests import are_unchanged, file_digest
from streamopt.running.steps import Step

JOURNAL = "run.json"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class DoneStep:
    """A step that is done."""

    key: str
    """Digest of all that it depends on, but for files that it found itself."""
    words: str = ""
    """The result in words."""
    reads: dict[str, str] = field(default_factory=dict[str, str])
    """Digests of these, by path."""
    files: dict[str, str] = field(default_factory=dict[str, str])
    """Digests of the files that it wrote, by name in the folder."""
    facts: dict[str, Any] = field(default_factory=dict[str, Any])
    """For later steps, and for the verdict."""
    seconds: float = 0.0


@dataclass(slots=True)
class RunJournal:
    """The journal of a folder, which is locked as long as it is open."""

    folder: Path
    source: str
    steps: dict[Step, DoneStep] = field(default_factory=dict[Step, DoneStep])

    def done(self, step: Step, key: str) -> DoneStep | None:
        """Return a step, if it is done and all that it depends on and wrote is as it was."""
        found = self.steps.get(step)
        if found is None or found.key != key or not are_unchanged(found.reads):
            return None
        return found if are_unchanged(found.files, self.folder) else None

    def check_unedited(self, step: Step) -> None:
        """Raise OutputError (E575) for a file of a step that somebody has changed."""
        known = self.steps.get(step)
        for name, written in (known.files if known is not None else {}).items():
            path = self.folder / name
            if path.exists() and file_digest(path) != written:
                message = "this file was changed since streamopt run wrote it"
                hint = f"--from {step} replaces it; -o DIR leaves it, and uses another folder"
                raise OutputError(Diagnostic("E575", message, SourceLoc(str(path)), hint))

    def finish(self, step: Step, done: DoneStep) -> None:
        """Note a step."""
        self.steps[step] = done
        self.save()

    def drop(self, step: Step) -> None:
        """Forget a step, because it is done anew."""
        if self.steps.pop(step, None) is not None:
            self.save()

    def save(self) -> None:
        """Write the journal, whole or not at all; raises FrontendError (E116)."""
        steps = {step.value: asdict(done) for step, done in self.steps.items()}
        document = {"schema_version": SCHEMA_VERSION, "source": self.source, "steps": steps}
        write_file(self.folder / JOURNAL, f"{json.dumps(document, indent=1)}\n".encode())


@contextmanager
def journal_of(folder: Path, source: str, *, force: bool) -> Generator[RunJournal]:
    """Open the journal of a folder, which is made if there is none.

    Parameters
    ----------
    source
        Of the run: an absolute path, and a name in the file.
    force
        Whether to replace a run of another source, or a project.

    Raises
    ------
    OutputError
        E571 for a folder of something else, E572 where another run works in it, E573 for a
        journal that can't be read, E574 where the system refuses.
    """
    journal = _claimed(folder, source, force=force)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        opened = os.open(folder, os.O_RDONLY)
    except OSError as error:
        message = f"the folder can't be made: {reason(error)}"
        hint = "choose one that you may write to, with -o DIR"
        raise OutputError(Diagnostic("E574", message, SourceLoc(str(folder)), hint)) from None
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message, hint = "another run works in this folder", "wait for it, or choose another: -o"
            raise OutputError(Diagnostic("E572", message, SourceLoc(str(folder)), hint)) from None
        except OSError:  # a file system without locks
            pass
        journal.save()  # the folder is claimed from here
        yield journal
    finally:
        if not journal.steps:
            _leave(folder)
        os.close(opened)


def _leave(folder: Path) -> None:
    """Remove a folder in which no step was ever done, but no file of anybody else."""
    with suppress(OSError):
        if {path.name for path in folder.iterdir()} <= {JOURNAL}:
            (folder / JOURNAL).unlink(missing_ok=True)
            folder.rmdir()


def _claimed(folder: Path, source: str, *, force: bool) -> RunJournal:
    """Return the journal of a folder that a run of a source may use."""
    from streamopt.verification.manifest import read_manifest

    fresh = RunJournal(folder, source)
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return fresh
    place = SourceLoc(str(folder))
    if (folder / JOURNAL).is_file():
        found = fresh if force else _read(folder)
        if found.source == source:
            return found
        hint = "choose another with -o DIR, or --force to replace it"
        message = f"this folder has the run of {found.source}"
        raise OutputError(Diagnostic("E571", message, place, hint))
    kind, hint = "something that streamopt run has not written", "choose another with -o DIR"
    try:
        read_manifest(folder)
    except VerificationError:
        pass
    else:
        if force:
            shutil.rmtree(folder)
            return fresh
        kind, hint = "a project", f"{hint}, or --force to replace it"
    raise OutputError(Diagnostic("E571", f"here is {kind} already", place, hint))


def _read(folder: Path) -> RunJournal:
    path = folder / JOURNAL
    try:
        document: Any = json.loads(read_text(path))
        if document["schema_version"] != SCHEMA_VERSION:
            raise ValueError(f"schema version {document['schema_version']}")
        steps = {Step(name): DoneStep(**own) for name, own in document["steps"].items()}
        return RunJournal(folder, str(document["source"]), steps)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        message, hint = "the journal of a run can't be read", "--force begins anew"
        raise OutputError(Diagnostic("E573", message, SourceLoc(str(path)), hint)) from None
