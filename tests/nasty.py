"""Texts and ids that try to steer an output, each with what it tries."""

from __future__ import annotations

from tms import Alternative, Claim, Decision, Graph, Question

TEXTS = {
    "html label": "<lambda> <map>",
    "html table": "<TABLE><TR><TD>x</TD></TR></TABLE>",
    "attributes": '\\" shape=box color=red] # "=12',
    "lone backslash": "\\",
    "escapes of dot": "\\N \\G \\l \\r \\n \\",
    "entities": "&lt;b&gt; &amp; &#60; #lt; #60;",
    "end": "end",
    "click": 'click B "javascript:window.steered=1"',
    "markup": '<img src=x onerror="window.steered=1"><script>window.steered=1</script>',
    "closes a script": "</script></style></svg><script>window.steered=1</script><!--",
    "cdata": "]]> <![CDATA[ ]]>",
    "comment": "%% a comment",
    "directive": "%%{init: {'theme': 'dark'}}%%",
    "front matter": "---\ntitle: steered\n---",
    "brackets": "[({})] (( )) {{ }} [[ ]] >] |a|",
    "arrows": "a --> b; b -.-x c\nc ==> d",
    "style": "style n1 fill:#f00; classDef x fill:#f00;",
    "markdown": "`code` **bold** _it_ 1. list\n- item\n# heading",
    "formula": '=HYPERLINK("http://x","y")',
    "long": "word " * 2000,
    "one long word": "w" * 10_000,
    "right to left": "שלום עולם مرحبا \u202eabc",
    "combining": "Z̵̢̛a̶͝l̸̢g̶o e\u0301",
    "emoji": "👩‍👩‍👧 🏳️‍🌈 ✓",
    "cjk": "データベースは何を使いますか" * 5,
    "controls": "\x00\x07\x1b[31m\x7f\x9b \u2028 \ufeff",
    "dollar": "$x^2$ $$y$$",
    "unicode escapes": "\\u003cscript\\u003e \\x3c",
}
IDS = (
    "a:b",
    "a::b",
    "end",
    "n1",
    "graph",
    "--",
    "<b>",
    '"',
    "x\\",
    "x\\\\",
    "&amp;",
    "__proto__",
    "constructor",
    "%%",
    "#",
    "(1)",
)
# `--` and the like are no ids that a ledger takes; a graph in memory does


def nasty() -> Graph:
    """One graph with all of it; every node is in it as claim, as question or as decision with an alternative."""
    records: list[Claim | Decision | Question] = [
        Claim(id=f"t{number}", text=text, state="accepted", scope=(text[:30] or "x",))
        for number, text in enumerate(TEXTS.values())
    ]
    records += [Claim(id=name, text=name, state="disputed", supports=(("t1",), ("t2", "t3"))) for name in IDS]
    records += [
        Decision(
            id=f"d{number}",
            choice=text[:100],
            text=text,
            supports=((f"t{number}",),),
            answers=("q1",),
            alternatives=(Alternative(key="k", text=text, because=((f"t{number}",),)),),
        )
        for number, text in enumerate(TEXTS.values())
    ]
    return Graph.empty().extend([*records, Question(id="q1", text="?")])
