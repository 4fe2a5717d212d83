"""A small graph with something of every kind, for runs that ask it a million times."""

from tms import Alternative, Claim, Decision, Graph, Hypothesis, Nogood, Question

GRAPH = Graph.empty().extend(
    [
        Claim(id="c1", state="accepted"),
        Claim(id="c2", state="disputed", supports=(("c1",),)),
        Claim(id="c3", state="accepted", contradicts=("c1",)),
        Question(id="q1"),
        Decision(id="d1", choice="x", supports=(("c1",), ("c2",)), answers=("q1",),
                 alternatives=(Alternative(key="a", because=(("c1",),)),)),
        Decision(id="d2", choice="y", depends_on=("d1", "zz")),
        Hypothesis(id="h1", action="try", state="falsified", assuming=("c1",)),
        Nogood(id="n1", members=("c2", "d1")),
    ]
)  # fmt: skip
GRAPH.compiled  # noqa: B018 - once, not at each question
