"""Laws of passages, against a search of a few lines over all pairs of characters."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from simsieve import passages
from simsieve.inside.exclude import merged, outside, size

HAN = [chr(0x4E00 + at) for at in range(40)]
PIECE = st.text(st.sampled_from(HAN), min_size=1, max_size=60)
MARK = st.sampled_from(["", "，", " ", "\n", "。“", "\u200b"])
PLACES = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)).map(lambda one: (one[0], one[0] + one[1])))


def with_marks(text: str, marks: list[str]) -> str:
    """A text with punctuation after every fifth character, which does not count."""
    return "".join(
        sign + (marks[at // 5 % len(marks)] if marks and at % 5 == 4 else "") for at, sign in enumerate(text)
    )


def common_runs(one: str, two: str, least: int) -> list[tuple[int, int]]:
    """The longest runs of `one` that `two` has, as places among the characters that count."""
    found = []
    for x in range(len(one)):
        for y in range(len(two)):
            if one[x] == two[y] and (x == 0 or y == 0 or one[x - 1] != two[y - 1]):
                length = 0
                while x + length < len(one) and y + length < len(two) and one[x + length] == two[y + length]:
                    length += 1
                if length >= least:
                    found.append((x, x + length))
    return found


@given(st.lists(PIECE, min_size=3, max_size=3), PIECE, PIECE, st.lists(MARK), st.lists(MARK))
def test_every_run_of_the_certain_length_is_in_a_span(
    shared: list[str], before: str, after: str, marks: list[str], others: list[str]
) -> None:
    """A run of Chinese characters of the certain length is found anywhere, whatever the punctuation; both ways."""
    bare = [before.join(shared), after.join(reversed(shared))]
    one, two = with_marks(bare[0], marks), with_marks(bare[1], others)
    for text, other, plain, twin in ((one, two, *bare), (two, one, *reversed(bare))):
        rows = passages([text], against=[other], min_length=1, common=2**30)
        least = rows.summary["certain_characters"]
        spans = merged((span.start, span.end) for row in rows for span in row.spans)
        # The place of each character that counts in the text with its marks.
        places = [at for at, sign in enumerate(text) if sign in HAN]
        for start, end in common_runs(plain, twin, least):
            assert any(first <= places[start] and places[end - 1] < last for first, last in spans)


@given(st.lists(PIECE, min_size=2, max_size=6), st.data())
def test_rows_and_totals_are_those_of_their_spans(pieces: list[str], data: st.DataObject) -> None:
    """Shares are covered characters over all characters; a total is that of the union, and names the largest source."""
    texts = [data.draw(st.lists(st.sampled_from(pieces), min_size=1, max_size=5)) for _ in range(4)]
    result = passages(["。".join(one) for one in texts], min_length=5)
    for row in result:
        assert row.source_position < row.document_position
        text, other = result.text(row.document_position), result.source_text(row.source_position)
        own = merged((span.start, span.end) for span in row.spans)
        assert row.share == round(size(own) / len(text), 6)
        assert row.longest == max(span.end - span.start for span in row.spans)
        for span in row.spans:
            assert 0 < span.score <= 1
            ends = text[span.start], text[span.end - 1]
            assert ends == (other[span.source_start], other[span.source_end - 1])
            if span.score == 1:
                run, twin = text[span.start : span.end], other[span.source_start : span.source_end]
                assert run.replace("。", "") == twin.replace("。", "")
    for total in result.totals:
        rows = [row for row in result if row.document_position == total.document_position]
        every = merged((span.start, span.end) for row in rows for span in row.spans)
        assert total.share == round(size(every) / total.characters, 6)
        assert total.largest_share == max((row.share for row in rows), default=0) and total.sources == len(rows)


@given(PLACES, PLACES)
def test_places_are_sets_of_characters(some: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    """`merged`, `outside` and `size` are the union, the difference and the size of sets."""

    def signs(places: list[tuple[int, int]]) -> set[int]:
        return {at for start, end in places for at in range(start, end)}

    one, two = merged(some), merged(others)
    assert signs(one) == signs(some) and size(one) == len(signs(some))
    assert all(first[1] < second[0] for first, second in pairwise(one))
    assert signs(outside(one, two)) == signs(some) - signs(others)
