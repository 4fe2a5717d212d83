"""What a notebook shows: tables whose every text is escaped, diagrams, messages in place of tracebacks, `%%tms`."""

import warnings
from html.parser import HTMLParser

import pytest

import query
from query.result import DRAWN, Result
from tms.display import SHOWN
from tms.drawing.render import render
from tms.errors import UsageError
from tms.graph import Graph
from tms.model import Alternative, Claim, Decision, Question
from tms.session import Session

EVIL = "<script>alert('x')</script> & \"q\" <img src=x onerror=alert(1)>"


@pytest.fixture
def graph():
    return Graph.empty().extend(
        [
            Claim(id="c1", text=EVIL, rationale=EVIL, scope=(EVIL,), tag=("t",), evidence=(EVIL,), state="disputed"),
            Claim(id="c2", text="two", state="accepted"),
            Question(id="q1", text="which?"),
            Decision(id="d2", text="before", supports=(("c1",),), choice="x"),
            Decision(
                id="d1", text=EVIL, choice=EVIL, supports=(("c1", "c2"), ("c2",)), depends_on=("d2",), answers=("q1",),
                alternatives=(Alternative(key="m", text=EVIL),),
            ),
        ]
    )  # fmt: skip


class Seen(HTMLParser):
    """The tags, the attributes and the words of a piece of HTML."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.words.append(data)


HARMLESS = {"table", "thead", "tbody", "tr", "th", "td", "p", "em", "code", "div"}


def shown(value):
    found = Seen(value._repr_html_())
    assert set(found.tags) <= HARMLESS
    assert found.attributes <= {"style"}
    return found


def test_every_text_of_a_node_a_status_a_derivation_and_an_answer_is_escaped(graph):
    assert EVIL in shown(graph["d1"]).words
    assert EVIL in " ".join(shown(graph.why("d1")).words)
    assert EVIL in shown(query.run(graph, "claims")).words
    shown(graph.statuses())
    shown(Result((EVIL,), ((EVIL,),), EVIL, graph, clipped=EVIL, notes=(EVIL,)))


def test_a_node_shows_its_words_what_it_rests_on_and_its_lines(graph):
    words = shown(graph["d1"]).words
    for word in ("d1", " (decision, adopted)", "(c1 and c2) or c2", "d2", "q1", "d1/m", graph["d1"].lines[0].hash[:12]):
        assert word in words


def test_a_derivation_shows_status_steps_and_what_is_missing(graph):
    words = shown(graph.why("d1")).words
    assert words[0] == "✗ blocked: "
    assert any(word.startswith("First cause: d1 <- d2 <- c1 (disputed)") for word in words)
    assert "not given, and what it would take: c1" in words


def test_statuses_show_a_mark_beside_the_word_and_what_blocks(graph):
    words = shown(graph.statuses()).words
    assert {"⊘ disputed", "✓ in", "✗ unsupported", "✗ blocked", "? open", "d1 → d2 → c1 (disputed)"} <= set(words)
    assert shown(graph.status("d1")).words.count("d1") == 1
    assert graph.statuses() == tuple(graph.status(name) for name in graph.ids())


@pytest.mark.parametrize(("count", "said"), [(SHOWN, "50 rows"), (SHOWN + 1, "51 rows, 50 shown")])
def test_a_table_is_cut_at_fifty_rows_and_says_so(count, said):
    graph = Graph.empty().extend([Claim(id=f"c{i:02}") for i in range(count)])
    for value in (query.run(graph, "claims"), graph.statuses()):
        found = shown(value)
        assert found.tags.count("tr") == 1 + SHOWN
        assert said in found.words or count == SHOWN


def test_clips_and_notes_stand_below_the_table(graph):
    words = shown(Result(("id",), (("c1",),), "", graph, clipped="too many", notes=("a note",))).words
    assert words[-3:] == ["1 row", "clipped: too many", "a note"]


def test_status_is_told_by_a_mark_and_the_word_in_every_column_that_has_one(graph):
    words = shown(query.run(graph, "falls(c2)")).words
    assert {"✓ in", "⊘ disputed"} <= set(words)


# -- diagrams ----------------------------------------------------------------------------------------------------


def has_graphviz():
    try:
        return bool(render("digraph {}", "svg"))
    except UsageError:
        return False


@pytest.mark.skipif(not has_graphviz(), reason="no Graphviz here")
def test_an_answer_that_ends_in_graph_shows_its_diagram_and_no_table(graph):
    found = query.run(graph, "grounds(d1) union d1 | graph")
    bundle = found._repr_mimebundle_()
    assert found._repr_html_() is None
    assert set(bundle) == {"text/plain", "image/svg+xml"}
    assert bundle["image/svg+xml"].startswith("<svg")
    assert "<script" not in bundle["image/svg+xml"]
    assert "grounds(d1) union d1 | graph; 4 rows" in bundle["image/svg+xml"]


def test_without_graphviz_an_answer_shows_its_table_and_says_so(graph, monkeypatch):
    def absent(*_, **__):
        raise UsageError("no Graphviz here to draw with", code="no-graphviz")

    monkeypatch.setattr("tms.drawing.diagram.render", absent)
    found = query.run(graph, "claims | graph")
    assert any("pip install 'tms-ledger[draw]'" in word for word in shown(found).words)
    assert set(found._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_only_the_nodes_of_the_rows_are_drawn_and_not_too_many():
    graph = Graph.empty().extend([Claim(id=f"c{i:03}") for i in range(DRAWN + 1)])
    drawing = query.run(graph, "claims | graph").diagram.drawing
    assert len(drawing.nodes) == DRAWN
    assert "the first 200 are drawn" in drawing.title
    assert [node.id for node in query.run(graph, "c001 | graph").diagram.drawing.nodes] == ["c001"]
    assert query.run(graph, "claims | limit 0 | graph").diagram.drawing.nodes == ()


def test_an_answer_that_is_a_table_has_its_table_in_the_bundle(graph):
    found = query.run(graph, "claims | select id")
    assert found._repr_mimebundle_() == {"text/plain": repr(found), "text/html": found._repr_html_()}


# -- IPython -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shell():
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # IPython's own
        made = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
        made.run_line_magic("load_ext", "query")
        yield made


@pytest.fixture
def cell(shell, graph, capsys):
    """Runs a cell; gives its value and what was printed."""
    shell.user_ns.update({"graph": graph, "area": "d1"})

    def run(text):
        capsys.readouterr()
        done = shell.run_cell(text)
        told = capsys.readouterr()
        return done.result, told.out + told.err

    return run


def test_a_cell_is_a_query_with_python_s_variables_as_parameters(cell):
    found, _ = cell("%%tms\nwhy($area)\n| limit 1")
    assert found.rows[0][0] == "d1"


def test_a_cell_may_name_a_viewpoint_a_graph_and_a_variable_for_the_answer(cell, shell, tmp_path):
    session = Session.open(tmp_path / "ledger.jsonl", create=True)
    session.append([Claim(id="c7", state="accepted")])
    shell.user_ns["other"] = session
    point = session.graph.lines[-1].hash
    nothing, told = cell(f'%%tms other --as-of {point} --assuming "dispute c7" --into found\nclaims | select status')
    assert (nothing, told) == (None, "")
    assert shell.user_ns["found"].rows == (("disputed",),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("%%tms\nclams", "no node or kind is named clams; did you mean claims?\n  1 | clams\n    | ^^^^^\n"),
        ("query.run(graph, 'clams')", "    | ^^^^^\n"),
        ("%%tms nothing\nclaims", "there is no variable nothing\nhint: "),
        ("%%tms area\nclaims", "area is no graph\nhint: "),
        ("%%tms --as-of never\nclaims", "no line, mark or time is called 'never'\nhint: "),
        ('%%tms --assuming "disptue c1"\nclaims', "did you mean dispute?\n  1 | assuming disptue c1\n"),
        ("%%tms --nothing\nclaims", "UsageError: unrecognized arguments: --nothing"),
        ("graph['nobody']", "no node has the id 'nobody'"),
        ("graph.why('d9')", "no node has the id 'd9'"),
    ],
)
def test_what_is_wrong_is_a_message_and_no_traceback(cell, shell, text, said):
    shell.user_ns["query"] = query
    _, told = cell(text)
    assert said in told
    assert "Traceback" not in told
    assert len(told.splitlines()) <= 4


def test_ipython_takes_the_bundle_and_the_html(shell, graph):
    for value in (query.run(graph, "claims"), graph["d1"], graph.why("d1"), graph.status("d1"), graph.statuses()):
        data, _ = shell.display_formatter.format(value)
        assert data["text/html"] == value._repr_html_()
