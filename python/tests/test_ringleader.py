"""The package as its users see it. Expected values are those of the papers, or worked by hand."""

import os
import signal
import threading
import unittest
from fractions import Fraction
from pathlib import Path

import ringleader


class Runs(unittest.TestCase):
    def test_the_worked_example(self):
        # On the ring 3, 1, 4, 2 the identities go 2 + 1 + 4 + 1 = 8 places, and the announcement 4.
        run = ringleader.run("chang-roberts", ids=[3, 1, 4, 2])
        self.assertEqual(run["cost"]["messages"]["by_kind"], {"candidate": 8, "elected": 4})
        self.assertEqual(run["outcome"]["leaders"], [{"place": 2, "id": 4}])
        self.assertEqual(run["rerun"], "ringleader run chang-roberts --ids 3,1,4,2 --seed 1")

    def test_options_are_those_of_the_command_line(self):
        run = ringleader.run("spirakis-tampakas-mutex", n=4, r=(1, 4), hold=5, set={"crash": "probe"}, wake_at="0,0,0,0")
        timing = run["scenario"]["timing"]
        self.assertEqual((timing["r_min"], timing["r_max"], run["outcome"]["overlap_max"]), (1, 4, 1))

    def test_bad_options_say_what_is_allowed(self):
        for call in (
            lambda: ringleader.run("chang-roberts", n=0),
            lambda: ringleader.run("chang-roberts", sizes=3),
            lambda: ringleader.run("nobody"),
            lambda: ringleader.check("peterson", ltl="F elect"),
            lambda: ringleader.sweep("peterson", runs=0),
            lambda: ringleader.picture("peterson", theme="loud"),
        ):
            with self.assertRaisesRegex(ValueError, "allowed: "):
                call()

    def test_a_picture_shows_itself(self):
        picture = ringleader.picture("vitanyi", n=5)
        self.assertTrue(picture._repr_svg_().startswith("<svg"))

    def test_protocols_are_listed(self):
        self.assertIn("vitanyi", [protocol["name"] for protocol in ringleader.protocols()])


class Checks(unittest.TestCase):
    def test_a_check_holds(self):
        # N(N+1)/2 + N message passes at most.
        checked = ringleader.check("chang-roberts", n=4)
        self.assertEqual((checked["verdict"], checked["most_messages"]["passes"]), ("holds", 14))

    def test_formulas_are_judged(self):
        checked = ringleader.check("chang-roberts", ids=[3, 1, 2], eventually=["leader(3)", "leader(1)"])
        verdicts = [judged["verdict"] for judged in checked["properties"][-2:]]
        self.assertEqual(verdicts, ["holds", "violated"])


class Sweeps(unittest.TestCase):
    def test_columns_are_typed(self):
        swept = ringleader.sweep("lelann", n=[3, 5], runs=4, quantities=["messages"])
        columns = swept["columns"]
        # Le Lann's election always takes N² message passes.
        self.assertEqual((columns["n"], columns["messages"]), ([3] * 4 + [5] * 4, [9] * 4 + [25] * 4))
        self.assertTrue(swept["complete"])

    def test_pandas_and_polars_take_columns(self):
        import pandas
        import polars

        columns = ringleader.sweep("chang-roberts", n=[4, 8], runs=3)["columns"]
        self.assertEqual(len(pandas.DataFrame(columns)), 6)
        self.assertEqual(polars.DataFrame(columns).height, 6)

    def test_threads_change_nothing(self):
        one, two = (ringleader.sweep("peterson", n=20, runs=8, threads=threads) for threads in (1, 2))
        self.assertEqual(one, two)

    def test_an_interrupt_keeps_what_is_done(self):
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt) as raised:
            ringleader.sweep("lelann", n=60, runs=10_000_000)
        partial = raised.exception.partial
        self.assertFalse(partial["complete"])
        self.assertEqual(set(partial["columns"]["messages"]), {3600})

    def test_progress_is_reported_and_may_raise(self):
        seen = []

        def progress(done, of):
            seen.append((done, of))
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            ringleader.sweep("lelann", n=60, runs=10_000_000, progress=progress)
        self.assertEqual(seen[0][1], 10_000_000)


class Distributions(unittest.TestCase):
    def test_the_mean_of_chang_and_roberts_is_n_times_h_n(self):
        rows = ringleader.exact("chang-roberts", range(2, 7))["rows"]
        for row in rows:
            mean = row["election"]["mean"]
            harmonic = sum(Fraction(1, k) for k in range(1, row["n"] + 1))
            self.assertEqual(Fraction(int(mean["numerator"]), int(mean["denominator"])), row["n"] * harmonic)
        self.assertEqual([row["orders"] for row in rows], [1, 2, 6, 24, 120])

    def test_what_has_no_orders_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no identities"):
            ringleader.exact("itai-rodeh", 4)


class Notebook(unittest.TestCase):
    def test_the_example_is_executed(self):
        import nbclient
        import nbformat

        path = Path(__file__).parent.parent / "examples" / "measured-and-proved.ipynb"
        notebook = nbformat.read(path, as_version=4)
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
        self.assertTrue(any("image/svg+xml" in output.get("data", {}) for output in shown), "a picture is shown")


if __name__ == "__main__":
    unittest.main()
