"""Random filters and values, which meet often enough to say something."""

from hypothesis import strategies as st

from knowhub.model.filter import AllOf, AnyOf, Comparison, Filter, Negation, Scalar
from knowhub.ports.chunk_values import kind_of

TEXTS = st.one_of(
    st.text("ab%_\n海é", max_size=5),
    st.text(max_size=4),
    st.dates().map(str),
    st.sampled_from(["2024-01-01", "2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00", "2024-06-01 12:30"]),
)
SCALARS: st.SearchStrategy[Scalar] = st.one_of(
    TEXTS, st.integers(-20, 20), st.floats(-20, 20), st.integers(-(10**30), 10**30), st.booleans()
)
FIELDS = st.sampled_from(["title", "metadata.a"])


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    operator = draw(
        st.sampled_from(["eq", "ne", "gt", "gte", "lt", "lte", "in", "not in", "like", "not like", "between", "exists"])
    )
    field = draw(FIELDS)
    if operator == "exists":
        return Comparison(field, "exists")
    if operator in {"in", "not in"}:
        return Comparison(field, operator, tuple(draw(st.lists(SCALARS, min_size=1, max_size=3))))  # type: ignore[arg-type] # sampled from the operators
    if operator in {"like", "not like"}:
        return Comparison(field, operator, (draw(st.text("ab%_\n海é", max_size=6)),))  # type: ignore[arg-type] # as above
    one = draw(SCALARS)
    if operator == "between":
        other = draw(SCALARS.filter(lambda value: kind_of(value) == kind_of(one)))
        return Comparison(field, "between", (one, other))
    return Comparison(field, operator, (one,))  # type: ignore[arg-type] # as above


FILTERS: st.SearchStrategy[Filter] = st.recursive(
    comparisons(),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: AllOf(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
        inner.map(Negation),
    ),
    max_leaves=4,
)
VALUES = st.dictionaries(FIELDS, st.lists(SCALARS, min_size=1, max_size=3))
