"""Settings from a file on the command line, and what a shell completes."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simsieve import ConfigError, DedupConfig
from simsieve.cli import cli, main
from simsieve.cli.completion import completed
from simsieve.config import settings, uris
from simsieve.config.settings import SETTINGS

CONFIGURED = (
    "calibrate", "compare", "dedup", "features", "fingerprint", "fit", "lines", "pairs", "passages", "plan", "review",
    "templates", "thresholds",
)  # fmt: skip
TEXTS = ["the quick brown fox jumps", "the quick brown fox jumped", "lorem ipsum dolor sit amet"]


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small source, in the folder where the commands are carried out."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"id": at, "body": text}) + "\n" for at, text in enumerate(TEXTS)))
    return path


def run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Carry out a command line."""
    code = main(words)
    told = capfd.readouterr()
    return code, told.out, told.err


def printed(capfd: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The settings that a command line prints."""
    code, out, err = run(capfd, *words, "--print-config")
    assert (code, err) == (0, "")
    return tomllib.loads(out)


def test_a_file_gives_settings_and_the_command_line_goes_before(
    corpus: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each command finds the file's settings that it has options for, unless the command line says otherwise."""
    Path("run.toml").write_text('text_field = "body"\nsimilarity = 0.5\nkeep = ["last"]\nscheme = ["chars64"]\n')
    with_file = ("corpus.jsonl", "--config", "run.toml", "--quiet", "-o", "-")

    assert run(capfd, "dedup", *with_file)[1].count("\n") == 2
    assert '"id": 1' in run(capfd, "dedup", *with_file)[1]
    assert '"id": 0' in run(capfd, "dedup", *with_file, "--keep", "first")[1]
    assert run(capfd, "dedup", *with_file, "--max-distance", "0")[1].count("\n") == 3
    assert '"a":0,"b":1' in run(capfd, "pairs", *with_file)[1]
    assert {len(line.split("\t")[1]) for line in run(capfd, "fingerprint", *with_file)[1].splitlines()} == {16}
    assert run(capfd, "fit", *with_file[:-1], "of.model")[0] == 0
    assert json.loads(run(capfd, "compare", "--text", "a b c d", "a b c d", "--json", *with_file[1:3])[1])["a"]
    plan = ("plan", "corpus.jsonl", "--json", "--config", "run.toml")
    assert json.loads(run(capfd, *plan)[1])["similarity"] == 0.5
    assert json.loads(run(capfd, *plan)[1])["scheme"] == "chars64"
    assert json.loads(run(capfd, *plan, "--bits", "256")[1])["scheme"] == "chars256"
    assert json.loads(run(capfd, *plan, "--max-distance", "3")[1])["max_distance"] == 3


def test_the_settings_in_force_are_printed_and_nothing_is_done(corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`--print-config` needs no source and no sink, writes nothing, and gives what `--config` takes up again."""
    Path("run.toml").write_text('similarity = 0.5\nseed = 3\nscheme = "chars64"\n')
    found = printed(capfd, "dedup", "--config", "run.toml", "--max-distance", "2", "--keep", "max:a,longest")

    assert "similarity" not in found
    assert (found["max_distance"], found["seed"], found["keep"]) == (2, 3, ["max:a", "longest"])
    for command in CONFIGURED:
        assert printed(capfd, command, "--config", "run.toml")["similarity"] == 0.5
    for command in ("dedup", "pairs"):
        assert printed(capfd, command, "--recall", "0.9")["recall"] == 0.9
    whole = run(capfd, "dedup", "corpus.jsonl", "-o", "k.jsonl", "--config", "run.toml", "--print-config")[1]
    Path("whole.toml").write_text(whole)
    assert run(capfd, "dedup", "--config", "whole.toml", "--print-config")[1] == whole
    assert sorted(os.listdir()) == ["corpus.jsonl", "run.toml", "whole.toml"]
    # A flag behind -- is a word like any other, and what is needed is still needed afterwards.
    code, out, err = run(capfd, "pairs")
    assert (code, out) == (2, "")
    assert "Missing argument" in err
    assert run(capfd, "pairs", "--", "--print-config")[0] == 2


GONE = [
    ("dedup", "--seed", "Write it into a file of settings, and give --config FILE: seed = 7"),
    ("pairs", "--no-safe-cells", "Write it into a file of settings, and give --config FILE: safe_cells = false"),
    ("dedup", "--query", "Give it in the URI of the collection: 'mongodb://localhost/exams.raw?query={"),
    ("dedup", "--append", "Give it in the URI of the collection: -o mongodb://localhost/exams.kept?append"),
    ("dedup", "--save-config", "`--print-config > FILE` writes the settings in force."),
    ("dedup", "--since-run", "Make an index of the earlier run, `simsieve index create INDEX --run-dir RUN`"),
    ("dedup", "--since-field", "`simsieve index create INDEX 'URI?since_field=FIELD'`"),
    ("dedup", "--save-run", "`simsieve dedup --run-dir RUN --similarity 0.8 -o FILE`"),
    ("review", "--from-run", "Name the directory of a finished run by --run-dir RUN"),
    ("dedup", "--num-perm", "give --measure jaccard and --similarity 0.8, and --recall for the share"),
    ("pairs", "--bands", "`simsieve fingerprint SOURCE --minhash 128`"),
    ("dedup", "--ngram", "--scheme words64:n=5 for five words, --scheme chars128:n=5 for five characters"),
    ("dedup", "--hash-func", "The scheme fixes its hash; `simsieve schemes` shows it."),
    ("review", "--index", "Give the index as the old documents: --against INDEX."),
]


@pytest.mark.parametrize(("command", "option", "advice"), GONE)
def test_an_option_that_is_gone_names_what_does_it_now(
    command: str, option: str, advice: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The answer has a line to write, and so has Python's; options of other programs are answered so, too."""
    code, _, err = run(capfd, command, "corpus.jsonl", option, "x")
    assert (code, err.startswith(f"simsieve: No such option {option}. ")) == (2, True)
    assert advice in err
    name = option.removeprefix("--").replace("-", "_")
    if name in settings.OTHERS:
        with pytest.raises(ConfigError, match=f"there is no setting '{name}'. The "):
            DedupConfig.from_settings({name: "x"})
    if name in settings.GONE.keys() - SETTINGS.keys():
        with pytest.raises(ConfigError, match=f"there is no setting '{name}' any more. "):
            DedupConfig.from_settings({name: "x"})


def test_settings_in_a_uri_are_settings(capfd: pytest.CaptureFixture[str]) -> None:
    """They go before those of a file, other options of the URI stay, and what is of no use is refused."""
    source = 'mongodb://u:p%40@localhost/a.b?tls=true&query={"year":"%25"}&mark=near&apply'
    found = printed(capfd, "dedup", source, "-o", "mongodb://localhost/a.c?append=false")
    assert {name: found[name] for name in ("query", "mark", "apply", "append")} == {
        "query": '{"year":"%"}', "mark": "near", "apply": True, "append": False
    }  # fmt: skip
    assert uris.apart(source)[0] == "mongodb://u:p%40@localhost/a.b?tls=true"
    assert uris.shown(source) == 'mongodb://localhost:27017/a.b?query={"year":"%25"}&mark=near&apply'
    for words, told in (
        (("dedup", "mongodb://localhost/a.b?apply=maybe"), "apply=maybe in the URI is not allowed: give true or false"),
        (("pairs", "mongodb://localhost/a.b?mark=near"), "?mark in the URI is of no use to this command: leave it out"),
    ):
        code, _, err = run(capfd, *words)
        assert (code, told in err) == (2, True), err


def test_a_run_is_decided_again_under_settings_of_a_file(corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Settings of a file are held against those of a finished run as those of the command line are."""
    run(capfd, "dedup", "corpus.jsonl", "-o", "k.jsonl", "--text-field", "body", "--quiet", "--run-dir", "of.run")
    again = ("dedup", "--run-dir", "of.run", "-o", "l.jsonl", "--quiet", "--config", "run.toml")
    Path("run.toml").write_text("similarity = 0.999\n")
    assert run(capfd, *again)[0] == 0
    assert Path("l.jsonl").read_text().count("\n") == 3
    Path("run.toml").write_text("seed = 5\n")
    code, _, err = run(capfd, *again)
    assert code == 2
    assert "seed is 0 in the run in of.run, and 5 is given: leave it out" in err


def test_the_width_of_a_plan_is_printed_as_its_scheme(corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`plan --bits` stands for a scheme: it goes before that of the file, also where settings are printed."""
    Path("run.toml").write_text('scheme = "words64@0.5"\nrecall = 0.9\n')
    found = printed(capfd, "plan", "--config", "run.toml", "--bits", "256")

    assert (found["scheme"], found["recall"], "similarity" in found) == ("chars256", 0.9, False)
    assert printed(capfd, "plan", "--bits", "64", "--similarity", "0.7")["scheme"] == "chars64"
    for words, part in (
        (("--bits", "65"), "bits 65 is not allowed: allowed are 64, 128 and 256"),
        (("--bits", "64", "--scheme", "chars64"), "bits 64 and scheme 'chars64' are both given"),
    ):
        code, out, err = run(capfd, "plan", *words, "--print-config")
        assert (code, out) == (2, "")
        assert part in err


def test_every_command_with_settings_takes_them_of_a_file() -> None:
    """`--config` and `--print-config` stand with commands that have options of the settings table, and no others."""
    options = {name: {word for param in made.params for word in param.opts} for name, made in cli.commands.items()}
    words = {setting.option for setting in SETTINGS.values()}

    assert {name for name, found in options.items() if found & words} == {*CONFIGURED, "app"}
    # The file of a service has its own options.
    del options["serve"]
    for name, found in options.items():
        assert ("--config" in found, "--print-config" in found) == (name in CONFIGURED,) * 2


@pytest.mark.parametrize("command", CONFIGURED)
def test_a_wrong_file_ends_a_command(command: str, corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A file that is missing or wrong is told in one line, with exit code 2, and nothing is written."""
    needed = {"plan": ["--documents", "9"], "compare": ["corpus.jsonl", "corpus.jsonl"], "features": ["a text"]}
    needed["thresholds"] = ["corpus.jsonl"]
    words = (command, *needed.get(command, ["corpus.jsonl", "-o", "sink"]), "--config")
    assert run(capfd, *words, "no.toml") == (
        2, "", "simsieve: no.toml: the file of settings cannot be read: No such file or directory; check the name\n"
    )  # fmt: skip
    Path("run.toml").write_text("similarty = 0.8\n")
    assert run(capfd, *words, "run.toml")[2] == (
        "simsieve: run.toml: unknown setting 'similarty': did you mean 'similarity'?\n"
    )
    assert not Path("sink").exists()


Complete = Callable[..., list[str]]


@pytest.fixture
def completions(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complete:
    """What can stand in place of the last word, as the script of bash is told: type and value."""

    def complete(*words: str) -> list[str]:
        monkeypatch.setenv("_SIMSIEVE_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", " ".join(("simsieve", *words)))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        assert completed(cli) == 0
        return capsys.readouterr().out.split()

    return complete


def test_values_of_options_are_completed(completions: Complete) -> None:
    """Commands, options, schemes, orders, formats, encodings and names of files are offered."""
    assert completions("ded") == ["plain,dedup"]
    assert "plain,--max-distance" in completions("dedup", "--max")
    assert completions("dedup", "--scheme", "chars") == ["plain,chars64", "plain,chars128", "plain,chars256"]
    assert completions("dedup", "--scheme", "chars64:pu") == [
        "plain,chars64:punctuation=drop",
        "plain,chars64:punctuation=keep",
    ]
    assert completions("dedup", "--scheme", "words64:n=2,hm") == [
        "plain,words64:n=2,hmm=on",
        "plain,words64:n=2,hmm=off",
    ]
    assert completions("dedup", "--scheme", "words64:n=2,n") == ["file,words64:n=2,n"]
    assert completions("dedup", "--scheme", "./mi") == ["file,./mi"]
    assert completions("dedup", "--keep", "l") == ["plain,last", "plain,longest"]
    assert completions("dedup", "--keep", "max:a,sh") == ["plain,max:a,shortest"]
    assert completions("dedup", "--extract", "") == ["plain,none", "plain,text", "plain,main"]
    assert completions("dedup", "--combine", "a") == ["plain,all", "plain,any"]
    assert completions("dedup", "--idf", "f") == ["plain,fit"]
    assert completions("dedup", "--idf", "x.mo") == ["file,x.mo"]
    assert completions("dedup", "--input-format", "p") == ["plain,parquet"]
    assert completions("dedup", "--encoding", "gb") == ["plain,gb18030", "plain,gbk"]
    assert completions("dedup", "cor") == ["file,cor"]
    assert completions("dedup", "--config", "r") == ["file,r"]
    assert completions("fingerprint", "--format", "b") == ["plain,bits"]
    assert completions("completion", "") == ["plain,bash", "plain,zsh", "plain,fish"]
    assert completions("dedup", "--recall", "") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The script of each shell asks this program."""
    code, out, _ = run(capfd, "completion", shell)

    assert code == 0
    assert f"_SIMSIEVE_COMPLETE={shell}_complete" in out
    assert run(capfd, "completion", "tcsh")[0] == 2


def test_bash_completes_a_command(tmp_path: Path) -> None:
    """A real bash that has read the script completes `simsieve ded` and then a scheme."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("NOT TESTED IN A SHELL: there is no bash")
    simsieve = Path(sys.executable).with_name("simsieve")
    if not simsieve.exists():
        pytest.skip("NOT TESTED IN A SHELL: the program simsieve is not installed beside Python")
    script = tmp_path / "ask.sh"
    script.write_text(
        'eval "$(simsieve completion bash)"\n'
        "ask() {\n"
        '  COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()\n'
        '  _simsieve_completion simsieve "${@: -1}" "${@: -2:1}"\n'
        '  echo "${COMPREPLY[@]}"\n'
        "}\n"
        "complete -p simsieve\n"
        "ask simsieve ded\n"
        "ask simsieve dedup --scheme esim\n"
    )
    done = subprocess.run(
        [bash, "--norc", "-i", str(script)], env=os.environ | {"PATH": f"{simsieve.parent}:{os.environ['PATH']}"},
        capture_output=True, text=True, check=False, start_new_session=True,
    )  # fmt: skip

    schemes = " ".join(f"esimhash{rest}" for rest in ("_baseline64", "_baseline128", "64", "128"))
    wanted = ["complete -o nosort -F _simsieve_completion simsieve", "dedup", schemes]
    assert done.stdout.splitlines()[-3:] == wanted, done.stderr
