"""Sections 3.2 and 3.3 and the supplement's comparison: pairs of variables."""

from __future__ import annotations

import pandas as pd

from experiments._benchmarks import METHODS, SETTINGS, TITLES
from experiments.interactions import VISIBLE
from experiments.page._markdown import NAMES, Results, claims_table, interval, listed, not_run, number, table, yes_or_no

#: Why Concrete has two settings.
LIMIT = [
    "**A limit of the method.** Concrete has hardly any noise for the model with all interactions: what keeps its "
    "noise variance from falling decides the picture. Where the noise is next to nothing, so is the predictive "
    "variance at the training rows, and it rises steeply beside them. The part of R-sens₂ that looks at the variance "
    "then outweighs the part that looks at the mean, and the pairs that R-sens₂ puts first are no longer those of EAH. "
    "Check the noise of a fit before reading R-sens₂ at its training rows.",
    "",
]


def summary(results: Results) -> list[str]:
    """Lines for the top of the page."""
    lines = []
    for name, title in (("interactions", "Section 3.2, Figure 3"), ("real_data", "Section 3.3, Figure 4")):
        claims = results.read(f"{name}-claims")
        if claims is not None:
            held = f"{claims['holds'].sum()} of {len(claims)} statements hold"
            lines.append(f"- **{title}:** {held}{_that_fail(claims)}.")
    entropies = results.read("stability")
    if entropies is not None:
        lines.append(
            f"- **Section 3.3, Table 2:** {entropies['agrees'].sum()} of {len(entropies)} entropies agree, over all "
            f"settings; {_lowest(entropies)}."
        )
    ratios = results.read("fourth_derivative-claims")
    if ratios is not None:
        of = {row.ratio: interval(row.ours, row.ours_half) for row in ratios.itertuples()}
        true, null = (of[f"{kind} pairs: fourth derivative / R-sens₂"] for kind in ("true", "null"))
        lines.append(
            f"- **Supplement:** the whole fourth derivative is {true} times R-sens₂ for true pairs and {null} times "
            "for others, on average."
        )
    return lines


def _that_fail(claims: pd.DataFrame) -> str:
    """How many of the statements about each data set do not hold."""
    failed = claims[~claims["holds"]]
    if not len(failed):
        return ""
    if "setting" not in claims:
        return "; not: " + "; ".join(f"{row.claim} (n = {row.n})" for row in failed.itertuples())
    counts = claims.groupby(["data", "setting"], sort=False)["holds"].agg(["sum", "size"])
    return " (" + ", ".join(f"{TITLES[key]}: {row['sum']} of {row['size']}" for key, row in counts.iterrows()) + ")"


def _lowest(entropies: pd.DataFrame) -> str:
    """Whether R-sens₂ and EAH have the smallest entropies."""
    stable = []
    for key, group in entropies.groupby(["data", "setting"], sort=False):
        of = group.set_index("method")["ours"]
        if of[["rsens2", "eah"]].max() < of.drop(["rsens2", "eah"]).min():
            stable.append(TITLES[key])
    settings = entropies.groupby(["data", "setting"]).ngroups
    where = listed(stable) if stable else "none"
    return f"R-sens₂ and EAH have the smallest of all six methods in {len(stable)} of {settings} settings ({where})"


def section_32(results: Results) -> list[str]:
    """Section 3.2: simulated interactions."""
    lines = ["## Section 3.2: simulated interactions (Figure 3)", ""]
    claims, found = results.read("interactions-claims"), results.read("interactions-found")
    if claims is None or found is None:
        return [*lines, *not_run("interactions")]
    return [
        *lines,
        "Importance of six pairs of inputs, the largest of all 66 being 1; means of repetitions with 95 % intervals. "
        "The ideal is 1 for solid lines and 0 for dotted ones.",
        "",
        *results.figure("interactions", "Importance of pairs by six methods, by number of observations"),
        "The published figure has no numbers. What the paper says about it, as differences of these values (> 0 holds "
        f"if the interval is above 0; ≈ 0, if the difference is below {VISIBLE}, which is hard to see in a figure):",
        "",
        *claims_table(claims),
        *_found(found),
    ]


def _found(found: pd.DataFrame) -> list[str]:
    rows = [(n, *(interval(row.ours, row.ours_half) for row in group.itertuples())) for n, group in found.groupby("n")]
    methods = [NAMES[name] for name in found["method"].unique()]
    return [
        "How many of the three true pairs are first to third in a method's ranking of all pairs, on average:",
        "",
        *table(["observations", *methods], rows),
    ]


def section_33(results: Results) -> list[str]:
    """Section 3.3: benchmark data."""
    lines = ["## Section 3.3: Concrete and Bike (Figure 4 and Table 2)", ""]
    lines += ["### Figure 4: predictive density of models with 0 to 5 interactions", ""]
    scores, claims = results.read("real_data"), results.read("real_data-claims")
    if scores is None or claims is None:
        lines += not_run("real_data")
    else:
        for data in scores["data"].unique():
            text = f"Mean log predictive density on the {data.capitalize()} data by number of interactions"
            lines += results.figure(f"real_data-{data}", text)
        for key in SETTINGS:
            group = scores[(scores["data"] == key[0]) & (scores["setting"] == key[1])]
            if len(group):
                lines += _densities(key, group)
                of_setting = claims[(claims["data"] == key[0]) & (claims["setting"] == key[1])]
                lines += ["What the paper says, as differences within splits:", ""]
                lines += claims_table(of_setting.drop(columns=["data", "setting"]), 3)
        lines += [*_settings_not_run(scores, "real_data"), *_chosen(results), *LIMIT]
    return [*lines, *_entropies(results)]


def _densities(key: tuple[str, str], group: pd.DataFrame) -> list[str]:
    of = {(row.method, row.pairs): interval(row.ours, row.ours_half, 2) for row in group.itertuples()}
    rows = [(k, *(of[name, k] for name in METHODS)) for k in range(1, int(group["pairs"].max()) + 1)]
    none, full = (group[group["method"] == name].iloc[0] for name in ("none", "all"))
    ends = [f"{text}: {interval(row.ours, row.ours_half, 2)}" for text, row in (("none", none), ("all", full))]
    lines = [
        f"**{TITLES[key]}** ({full.splits} splits). Mean log predictive density of test rows, by number of "
        f"interactions; {'; '.join(ends)}.",
        "",
        *table(["interactions", *(NAMES[name] for name in METHODS)], rows),
    ]
    gone = group[group["vanished"] > 0]
    if len(gone):
        cells = [
            f"{row.vanished} of {NAMES.get(row.method, row.method)}"
            + ("" if pd.isna(row.pairs) else f" with {row.pairs:.0f}")
            for row in gone.itertuples()
        ]
        lines += [f"Left out are splits in which the noise of a fit vanished: {', '.join(cells)}.", ""]
    return lines


def _chosen(results: Results) -> list[str]:
    """The pairs that each method puts first most often."""
    pairs = results.read("real_data-pairs")
    if pairs is None:
        return []
    rows = []
    for (data, setting, method), group in pairs.groupby(["data", "setting", "method"], sort=False):
        leading = group.head(3)
        words = [f"{row.pair.replace(':', '·')} {number(row.share, 0)} %" for row in leading.itertuples()]
        rows.append((TITLES[data, setting], NAMES[method], ", ".join(words)))
    head = ["data", "method", "pairs"]
    return ["The pairs that are most often among the first three, in percent of splits:", "", *table(head, rows)]


def _entropies(results: Results) -> list[str]:
    lines = ["### Table 2: entropy of rankings over bootstrap samples", ""]
    entropies = results.read("stability")
    if entropies is None:
        return [*lines, *not_run("stability")]
    rows = []
    for data, of_data in entropies.groupby("data", sort=False):
        published = of_data.drop_duplicates("method").set_index("method")["published"]
        rows.append((data.capitalize(), "published", *(number(published[name], 2) for name in METHODS)))
        for setting, group in of_data.groupby("setting", sort=False):
            of = group.set_index("method")
            cells = [interval(of.loc[name, "ours"], of.loc[name, "ours_half"], 2) for name in METHODS]
            cells = [
                text if of.loc[name, "agrees"] else f"**{text}**" for name, text in zip(METHODS, cells, strict=True)
            ]
            rows.append((TITLES[data, setting], "ours", *cells))
    return [
        *lines,
        "Natural logarithms, mean over ranks; intervals are those of bootstrap samples of the rankings. A cell that "
        "does not agree within joint intervals is **bold**.",
        "",
        *table(["data", "", *(NAMES[name] for name in METHODS)], rows),
        *_settings_not_run(entropies, "stability"),
    ]


def _settings_not_run(done: pd.DataFrame, script: str) -> list[str]:
    """What is still to be run: a script may have run for some of the data only."""
    there = set(zip(done["data"], done["setting"], strict=True))
    missing = [key for key in SETTINGS if key not in there]
    if not missing:
        return []
    data = " and ".join(dict.fromkeys(name for name, _ in missing))
    return [f"{', '.join(TITLES[key] for key in missing)}:", "", *not_run(f"{script} --data {data}")]


def supplement(results: Results) -> list[str]:
    """R-sens₂ against the whole fourth derivative."""
    lines = ["## Supplement: R-sens₂ against the whole fourth derivative", ""]
    ratios = results.read("fourth_derivative-claims")
    if ratios is None:
        return [*lines, *not_run("fourth_derivative")]
    lines += [
        "The paper shows one simulation of Section 3.2, and says that both are almost equal for the true pairs while "
        "R-sens₂ is much lower for all others. The figure has one; the ratios are means over repetitions.",
        "",
        *results.figure("fourth_derivative", "R-sens₂ and the fourth derivative of all pairs"),
    ]
    rows = [(row.ratio, interval(row.ours, row.ours_half, 2)) for row in ratios.itertuples()]
    return [*lines, *table(["ratio", "ours"], rows)]


def variants(results: Results) -> list[str]:
    """Section 3.2 with what the paper did not try."""
    lines = ["### Section 3.2 with correlated inputs and with weak main effects", ""]
    paper = results.read("interactions-claims")
    settings = {"correlated": "inputs correlated by 0.8", "main-effects-0.3": "main effects times 0.3"}
    claims = {name: results.read(f"interactions-{name}-claims") for name in settings}
    tables = {name: frame for name, frame in claims.items() if frame is not None}
    if paper is None or not tables:
        return [*lines, *not_run("interactions --inputs correlated`, and with `--main-effects 0.3")]
    rows = []
    for k, row in enumerate(paper.itertuples()):
        cells = [interval(row.ours, row.ours_half, 2)]
        cells += [interval(frame.loc[k, "ours"], frame.loc[k, "ours_half"], 2) for frame in tables.values()]
        held = [yes_or_no(frame.loc[k, "holds"]) for frame in (paper, *tables.values())]
        both = [f"{cell} ({word})" for cell, word in zip(cells, held, strict=True)]
        rows.append((row.claim, row.n, row.published, *both))
    lines += ["The statements about Figure 3 again; in brackets, whether they hold.", ""]
    head = ["difference", "n", "paper", "as in the paper", *(settings[name] for name in tables)]
    lines += table(head, rows)
    for name in tables:
        text = f"Importance of pairs, {settings[name]}"
        lines += results.figure(f"interactions-{name}", text)
        found = results.read(f"interactions-{name}-found")
        if found is not None:
            lines += [f"With {settings[name]}:", "", *_found(found)]
    return lines
