"""Recomputes the figures of an exported Markov decision process with Storm: python cross_check.py DIRECTORY...

The minimal probability of an ending is 1 less the maximal one of all other endings, since ringleader's schedulers are fair.
"""

import json
import pathlib
import sys

import stormpy
from stormpy.environments import Environment, MinMaxMethod

PRECISION = 1e-9


def build(directory, rewards=None):
    rewards = str(directory / f"{rewards}.rew") if rewards else None
    files = (str(directory / "model.tra"), str(directory / "model.lab"))
    return stormpy.build_model_from_explicit(*files, transition_rewards=rewards)


def value(model, formula):
    environment = Environment()
    # Value iteration with bounds from both sides: without, it stops early.
    solver = environment.solver()
    solver.force_soundness = True
    solver.min_max().method = MinMaxMethod.OPTIMISTIC_VALUE_ITERATION
    solver.min_max().precision = stormpy.Rational("1/100000000000")
    formula = stormpy.parse_properties(formula)[0]
    return stormpy.model_checking(model, formula, environment=environment).get_value(model.initial_states[0])


def label(name):
    letters = "".join(c if c.isascii() and c.isalnum() else " " for c in name)
    return "_".join(["ending", *letters.split()])


def compare(directory):
    figures = json.loads((directory / "figures.json").read_text())
    endings = [(label(ending["name"]), ending) for ending in figures["endings"]]
    rows = []
    model = build(directory)
    for name, ending in endings:
        others = " | ".join(f'"{other}"' for other, _ in endings if other != name) or "false"
        rows.append((name, "least", 1 - value(model, f"Pmax=? [F ({others})]"), ending["least"]))
        rows.append((name, "greatest", value(model, f'Pmax=? [F "{name}"]'), ending["greatest"]))
    ends = " | ".join(f'"{name}"' for name, _ in endings)
    for mean in figures["means"]:
        model = build(directory, mean["of"])
        for which, formula in [("least", "Rmin"), ("greatest", "Rmax")]:
            rows.append((mean["of"], which, value(model, f"{formula}=? [F ({ends})]"), mean[which]))
    wrong = 0
    for name, which, storm, ours in rows:
        right = storm == float("inf") if ours is None else abs(storm - ours["decimal"]) <= PRECISION * max(1, ours["decimal"])
        wrong += not right
        shown = "unbounded" if ours is None else ours["decimal"]
        print(f"  {'ok' if right else 'WRONG'}  {name} {which}: {shown}, Storm {storm}")
    print(f"{directory.name}: {figures['rerun']}: {len(rows)} figures, {wrong} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if sum(compare(pathlib.Path(directory)) for directory in sys.argv[1:]) else 0)
