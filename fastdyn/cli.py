"""The command `fastdyn`: what people type and read, and the exit code: 0 well, 1 wanting or stopped, 2 refused."""

import argparse
import contextlib
import os
import signal
import sys
import threading
import warnings

MODEL_HELP = "a name that `fastdyn list` shows, or a model file: .toml, which may name one too, .urdf, .xml (MJCF)"
RUN_FILES = (".h5", ".h5.part")


def main(words=None) -> int:
    """Run one command; `words` are those behind `fastdyn`, None takes them from the command line."""
    given = _parser().parse_args(words)
    from .status import ModelError, SimulationError

    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *place: print(f"fastdyn: {message}", file=sys.stderr)
            code = given.command(given)
        sys.stdout.flush()
        return code
    except BrokenPipeError:                                 # `fastdyn list | head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ModelError, SimulationError) as error:
        print(f"fastdyn: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"fastdyn: {place}{error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print(f"fastdyn: stopped, {str(stop) or 'nothing was written'}", file=sys.stderr)
        return 130


def _parser():
    parser = argparse.ArgumentParser(prog="fastdyn", description="Dynamics of link chains.")
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name, function, help):
        made = commands.add_parser(name, help=help, description=help)
        made.set_defaults(command=function)
        return made

    command("list", _list, "names of the systems that come with fastdyn, and what can be set of each")
    run = command("run", _run, "simulate a system and write the run, a table, a picture and the model")
    show = command("show", _show, "print a system, or what is in a run file, as a table")
    for made in (run, show):
        made.add_argument("model", metavar="NAME_OR_FILE",
                          help=MODEL_HELP + ("; or a run: .h5" if made is show else ""))
        more = "; or of the run: t_end (s), samples, stepper, formulation, rtol, atol, h_max (s), " \
               "policy, max_seconds, ..." if made is run else ""
        made.add_argument("--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE", dest="settings",
                          help="change a parameter of a named chain (fastdyn list); or a field of any chain by its "
                               "path: links, by name or number, grounds, closures, by number from 0, then fields as in "
                               "model files, such as links.arm2.length=0.7 grounds.0.contact.restitution=0.3 "
                               "gravity=[0,-1.6,0]" + more)
    run.add_argument("--out", default="out", metavar="DIR_OR_FILE.h5",
                     help="folder for the results (default: out), or the name of the run file alone; folders that are "
                     "missing are made")
    run.add_argument("--pictures", action="store_true",
                     help="draw all figures of the run, and write the page that plays it")
    sweep = command("sweep", _sweep, "simulate a system at every point of a grid, on all cores, and write the table")
    sweep.add_argument("model", metavar="NAME_OR_FILE", help=MODEL_HELP)
    sweep.add_argument("--grid", nargs="+", action="extend", default=[], metavar="KEY=FROM:TO:HOW_MANY|V1,V2",
                       required=True, help="values of what --set takes; the points are all combinations")
    sweep.add_argument("--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE", dest="settings",
                       help="the same at all points, as for `fastdyn run`")
    sweep.add_argument("--out", default="study", metavar="DIR", help="folder of the study (default: study)")
    resume = command("resume", _resume, "go on with a study that was cut off")
    resume.add_argument("study", metavar="DIR", help="folder that `fastdyn sweep` made")
    for made in (sweep, resume):
        made.add_argument("--workers", type=int, metavar="N", help="processes (default: one a core)")
    plot = command("plot", _plot, "draw the figures of a run")
    plot.add_argument("run", metavar="RUN.h5", help="a run file that `fastdyn run` wrote")
    plot.add_argument("--out", default="figures", metavar="DIR", help="folder for the figures (default: figures)")
    plot.add_argument("--format", default="svg", choices=("svg", "png"), help="png needs matplotlib (default: svg)")
    plot.add_argument("--figure", nargs="+", action="extend", default=[], metavar="NAME", dest="figures",
                      help="only these, such as positions, forces or energy-error (default: all there is to draw)")
    plot.add_argument("--zoom", nargs=2, type=float, metavar=("FROM", "TO"), help="window beside the whole run, s")
    plot.add_argument("--times", nargs="+", type=float, metavar="T", help="of the snapshots, s")
    view = command("view", _view, "write one HTML file that plays a run, offline in any browser; or play it in 3-D")
    view.add_argument("run", metavar="RUN.h5", help="a run file that `fastdyn run` wrote")
    view.add_argument("--out", metavar="FILE.html", help="file to write (default: the run's name, .html, beside it)")
    view.add_argument("--live", action="store_true", help="write nothing, play it in 3-D at an address of this machine "
                      "until Ctrl-C (needs viser, the extra `view`)")
    view.add_argument("--port", type=int, metavar="N", help="of --live (default: the first free one from 8080)")
    for made in (plot, view):
        made.add_argument("--magnify", type=float, metavar="FACTOR", help="of the deflection of elastic links")
    reproduce = command("reproduce", _reproduce, "do a published problem again: what was claimed, what comes out")
    reproduce.add_argument("paper", nargs="?", metavar="PAPER", help="which; without it those there are are listed")
    reproduce.add_argument("--out", metavar="DIR", help="folder for pictures (default: only tables are printed)")
    warmup = command("warmup", _warmup, "compile kernels now, so that no later start has to wait")
    warmup.add_argument("models", nargs="*", metavar="NAME_OR_FILE", default=["n-pendulum"],
                        help="chains whose joints the kernels are made for (default: n-pendulum)")
    warmup.add_argument("--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE", dest="settings",
                        help="change a parameter or a field of those chains, as for `fastdyn run`")
    command("doctor", _doctor, "versions, processor, cache of kernels, and a check that dynamics come out right")
    return parser


class _Version(argparse.Action):
    def __call__(self, parser, *rest):
        from . import __version__

        print(__version__)
        parser.exit()


def _list(given):
    from .describe.catalog import CATALOG
    from .kinds import others

    for name, function in CATALOG.items():
        print(f"{name}: {function.__doc__.splitlines()[0]}\n    {_told(function)}")
    for kind in others():
        for name, named in kind.catalog.items():
            print(f"{name}: {named.make.__doc__.splitlines()[0]}\n    {_told(named.make)}\n    run: {_told(named.run)}")
    return 0


def _told(function):
    """What can be set of it, with its defaults."""
    from .describe.catalog import parameters

    known = {key: default for key, (_, default) in parameters(function).items()}
    own = [key for key, default in known.items() if default is None]
    said = " ".join(f"{key}={_shown(default)}" for key, default in known.items() if default is not None)
    return said + (f"; where they are taken, {', '.join(own)}" if own else "")


def _shown(default):
    if isinstance(default, bool):
        return "yes" if default else "no"
    return default if isinstance(default, str) else f"{default:.6g}"


def _show(given):
    if given.model.endswith(RUN_FILES) or os.path.isdir(given.model):
        from .show.contents import contents
        from .show.studies import is_study, summary

        found = _opened(given.model, given.settings, studies=True)
        (summary if is_study(found) else contents)(found)
        return 0
    from .kinds import wanted

    kind, name, settings = wanted(given.model, given.settings)
    kind.show(kind.make(name, settings))
    return 0


def _opened(path, settings=(), studies=False):
    """The run in a file, for the commands that look at one, or the study if they know what to do with it."""
    from .results.file import open
    from .results.journal import is_there
    from .show.studies import is_study
    from .status import ModelError

    if settings:
        raise ModelError(f"{path} is a run that is done; nothing of it can be set")
    if os.path.isdir(path) and not is_there(path):
        there = sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(RUN_FILES))
        hint = f"give a run file in it: {', '.join(there[:6])}" if there else "no run file (.h5) is in it"
        raise ModelError(f"{path} is a folder; {hint}")
    found = open(path)
    if is_study(found) and not studies:
        raise ModelError(f"{path} is a study, not one run; `fastdyn show` prints it")
    return found


def _run(given):
    from .kinds import wanted
    from .show.progress import progress
    from .status import INTERRUPTED

    kind, name, settings = wanted(given.model, given.settings, runs=True)
    system, simulate = kind.find(name, settings)
    alone = given.out.endswith(".h5")
    folder = os.path.dirname(given.out) if alone else given.out
    if alone and os.path.isdir(given.out):
        raise IsADirectoryError(None, "is a folder; give the name of a run file, or of a folder without .h5", given.out)
    os.makedirs(folder or ".", exist_ok=True)
    stem = given.out.removesuffix(".h5") if alone else os.path.join(
        folder, os.path.splitext(os.path.basename(given.model))[0])
    with progress() as at, _ended_as_by_ctrl_c():
        motion = simulate(system, progress=at, **({"store": f"{stem}.h5"} if kind.stores else {}))
    if len(motion.t) < 2:
        motion.check()
    kind.summary(motion)
    try:
        for path, what in _results(motion, stem, given.model, given.pictures, alone):
            print(f"{path}: {what}")
    except KeyboardInterrupt:
        raise KeyboardInterrupt("what is named above is written, nothing else") from None
    if motion.ok:
        return 0
    print(f"fastdyn: {motion.message}", file=sys.stderr)
    return 130 if motion.status == INTERRUPTED else 1


@contextlib.contextmanager
def _ended_as_by_ctrl_c():
    """A limit of time (SIGTERM), a terminal that is closed (SIGHUP): the run ends and is written, as by Ctrl-C.

    What is to be ignored, as under nohup, is. Where Ctrl-C is, as in the background of a script, and no run sees to it
    yet, the limit of time still ends the command.
    """
    def end(*_):
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    mine = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in numbers if mine}
    before = {number: handler for number, handler in before.items() if handler == signal.SIG_DFL}
    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _sweep(given):
    from .describe.design import read_axis
    from .run.sweep import sweep
    from .show.studies import words_of

    return _studied(given.out, sweep, given.model, dict(map(read_axis, given.grid)), store=given.out,
                    workers=given.workers, **words_of(given.settings))


def _resume(given):
    from .run.sweep import resume

    return _studied(given.study, resume, given.study, workers=given.workers)


def _studied(folder, function, *args, **words):
    """Compute a study, print it, write its table; 1 if a point did not go well, 130 if it was interrupted."""
    from .show.progress import of_a_study, progress
    from .show.studies import summary, write_table
    from .status import OK

    with progress("sweeping", of_a_study) as at:
        study = function(*args, progress=at, **words)
    summary(study)
    if study.status != OK:
        print(f"fastdyn: {study.message}; `fastdyn resume {folder}`", file=sys.stderr)
        return 130
    print(f"{os.path.join(folder, 'study.h5')}: the study, for `fastdyn show` and fastdyn.open")
    write_table(path := os.path.join(folder, "study.csv"), study)
    print(f"{path}: its table")
    return 0 if study.ok else 1


def _results(motion, stem, model, pictures, alone=False):
    """Write the files of a run, each whole or not at all; the file the model was read from stays as it is.

    alone: only the run file, and pictures if they are asked for.
    """
    from .describe.writing import write_whole
    from .kinds import kind_of
    from .results.table import write_table

    kind = kind_of(motion)
    if motion.file != os.path.realpath(f"{stem}.h5"):
        motion.save(f"{stem}.h5")
    yield f"{stem}.h5", "the run, for `fastdyn show` and fastdyn.open"
    if not alone:
        write_table(f"{stem}.csv", motion)
        yield f"{stem}.csv", "times, coordinates, velocities, energies"
    if pictures:
        yield from _drawn(motion, stem)
        if kind.plays:
            yield _playing(motion, f"{stem}.html")
    if alone:
        return
    if not pictures:
        write_whole(f"{stem}.svg", next(iter(kind.figures().values())).draw(motion, zoom=None).svg)
        yield f"{stem}.svg", "picture"
    text = kind.model_text(motion)
    mine = os.path.exists(model) and os.path.exists(f"{stem}.toml") and os.path.samefile(model, f"{stem}.toml")
    if text is not None and not mine:
        write_whole(f"{stem}.toml", text)
        yield f"{stem}.toml", "model"


def _plot(given):
    for path, what in _drawn(_opened(given.run), given.out, figures=given.figures, format=given.format,
                             zoom=given.zoom, times=given.times, magnify=given.magnify):
        print(f"{path}: {what}")
    return 0


def _drawn(run, out, format="svg", **words):
    from .kinds import kind_of
    from .show.figures import plot

    known = kind_of(run).figures()
    return [(f"{os.path.join(out, name)}.{format}", known[name].about)
            for name in plot(run, out, format=format, **words)]


def _view(given):
    if given.live or given.port is not None:
        return _live(given)
    out = given.out or os.path.splitext(given.run)[0] + ".html"
    print(": ".join(_playing(_opened(given.run), out, magnify=given.magnify)))
    return 0


def _live(given):
    from .show.live import live_view
    from .status import ModelError

    if not given.live or given.out:
        raise ModelError("--live writes no file and --port is of --live alone; give --live without --out, or neither")
    with live_view(_opened(given.run), port=given.port, magnify=given.magnify) as playing:
        print(f"{playing.url}: plays in any browser until Ctrl-C", flush=True)
        playing.wait()
    return 0


def _playing(run, out, **words):
    from .show.player import view

    return view(run, out, **words), "plays in any browser, needs nothing else"


def _reproduce(given):
    from .reproduce import PAPERS, reproduce

    if given.paper is None:
        for name, (_, about) in PAPERS.items():
            print(f"{name}: {about}")
    else:
        reproduce(given.paper, given.out)
    return 0


def _warmup(given):
    from .doctor import warmup
    from .kinds import wanted
    from .status import ModelError

    models = [wanted(model, given.settings) for model in given.models]
    for given_as, (kind, _, _) in zip(given.models, models):
        if kind.name != "chain":
            raise ModelError(f"{given_as} is no chain; its kernels are made by its first run")
    return warmup([kind.make(name, settings) for kind, name, settings in models])


def _doctor(given):
    from .doctor import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
