"""`simsieve app`: a folder, a file or an index in a browser, for people without a terminal."""

import os
import sys
import webbrowser
from contextlib import closing
from pathlib import Path

import click

from simsieve.cli.common import DONE, say
from simsieve.cli.help import Command
from simsieve.cli.options import PATH, option
from simsieve.cli.review_page import let_in
from simsieve.config.kinds import KINDS
from simsieve.config.setting import INPUT
from simsieve.errors import ConfigError
from simsieve.messages import tr


@click.command(
    cls=Command,
    examples=("simsieve app", "simsieve app Documents --no-open", "simsieve app questions.csv --for questions"),
)
@click.argument("place", required=False, metavar="[FOLDER|FILE|INDEX]", type=PATH)
@option("--for", "kind", metavar="KIND", type=click.Choice(tuple(KINDS)), group=INPUT, common=True,
        help="The kind of the texts; by default one is proposed.")  # fmt: skip
@option("--no-open", is_flag=True, group=INPUT, common=True,
        help="Open no browser; the address is printed in any case.")  # fmt: skip
@option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", group=INPUT, common=True,
        help="The port to listen on, on this machine alone; 0 takes a free one.")  # fmt: skip
def app(*, place: str | None, kind: str | None, no_open: bool, port: int) -> int:
    """Look at a folder or a file in a browser, choose what is kept, and move or write; or look up texts in an index.

    The browser shows what is there and what is not read, finds the near duplicates, and shows groups with boxes. Files
    that are not checked go to a folder beside or to the bin, and come back by one button, also later. Of a file with
    records the kept ones go to a new file. Nothing is replaced. Without a name, a folder or a file below the home
    folder is chosen in the browser. Enter prints another address; Ctrl-C ends it.
    """
    from simsieve.optional import web_server

    web_server("httptools", "msgspec", "prometheus_client")
    from simsieve.serve.app import Mounted
    from simsieve.serve.doors import APPLIES, Doors
    from simsieve.serve.options import Options
    from simsieve.serve.pages import tidy_app
    from simsieve.serve.run import listening, run
    from simsieve.serve.served import Indexes
    from simsieve.tidy.places import Places

    if place is not None and not os.path.exists(place):
        raise ConfigError("{place}: there is no folder or file of this name", place=place)
    options, doors = Options(port=port, has_doors=True, quiet=True), Doors()

    def tell(url: str) -> None:
        first = let_in(lambda: f"{url}/?token={doors.invite('', APPLIES)}")
        has_screen = sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
        if not no_open and has_screen:
            webbrowser.open(first)

    with listening(options) as bound:
        address = f"http://{options.host}:{bound.getsockname()[1]}"
        with closing(Places(None if place is None else Path(place), address, kind)) as places:
            say(tr("open the address in a browser of this machine; Enter prints another one, Ctrl-C ends the program"))
            run(options, Indexes({}), [Mounted("", tidy_app(places, doors))], tell, bound)
    return DONE
