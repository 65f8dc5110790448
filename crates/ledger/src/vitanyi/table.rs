//! Section 4: means over all orders, and the table of growth.

use ringleader_check::BigRational;

use crate::epema::harmonic;
use crate::evidence::{Evidence, LedgerVerdict, all};
use crate::runs::RunsMade;
use crate::trial::{LEVEL, Trial, TrialResult, decimal};
use crate::vitanyi::costs::{LONGER, PROOF};
use crate::vitanyi::ring::{RingFigures, digits};
use ringleader::Setup;
use ringleader::plot::fit::Growth;
use ringleader::statistics::float;
use ringleader::sweep::Comparator;

/// A row of the table: a choice of f and what is claimed of it.
pub(crate) struct TableRow {
    law: &'static str,
    /// Worst-case messages and bits, average-case messages and bits.
    cells: [TableCell; 4],
    /// Means are claimed to grow as N, whatever the clocks.
    linear_means: bool,
    /// What holds of the cells that do not: the statement, and what is claimed then.
    repaired: (&'static str, Repaired),
}

/// A cell of the table.
#[derive(Clone, Copy)]
struct TableCell {
    claim: &'static str,
    claimed: fn(&RingFigures) -> f64,
}

/// What holds of the cells that do not hold as printed.
enum Repaired {
    /// The same, if the timer is set to f(i) on waking, and on clocks that are equal where means are claimed to grow as N.
    FirstF,
    /// These, as the protocol is printed.
    Cells([TableCell; 4]),
}

const COLUMNS: [(&str, &str, bool); 4] = [
    ("worst messages", "messages", false),
    ("worst bits", "bits", false),
    ("mean messages", "messages", true),
    ("mean bits", "bits", true),
];

const fn cell(claim: &'static str, claimed: fn(&RingFigures) -> f64) -> TableCell {
    TableCell { claim, claimed }
}

/// log i of a name that may be 1: one more than the length of the name.
fn log(i: u64) -> f64 {
    1.0 + digits(i)
}

/// w/w_p, divided by a power.
fn walk(ring: &RingFigures, over: f64) -> f64 {
    ring.w / ring.w_p / over
}

fn asynchronicity(ring: &RingFigures) -> f64 {
    ring.u / ring.m
}

pub(crate) const CONSTANT: TableRow = TableRow {
    law: "constant:1",
    cells: [
        cell("Θ(N²)", |ring| ring.n * ring.n),
        cell("O(N² log L)", |ring| ring.n * ring.n * log(ring.greatest())),
        cell("Θ(N log N)", |ring| ring.n * ring.n.log2()),
        cell("O(N²(w/w_p + log l))", |ring| ring.n * ring.n * (walk(ring, 1.0) + log(ring.l()))),
    ],
    linear_means: false,
    repaired: (
        "mean bits O(N log N log L): every pass of M_i costs the length of i, and it makes H_N on average",
        Repaired::Cells([
            cell("Θ(N²)", |ring| ring.n * ring.n),
            cell("O(N² log L)", |ring| ring.n * ring.n * log(ring.greatest())),
            cell("Θ(N log N)", |ring| ring.n * ring.n.log2()),
            cell("O(N log N log L)", |ring| ring.n * ring.n.log2() * log(ring.greatest())),
        ]),
    ),
};

const WITH_FIRST_F: &str = "the same, if the timer is set to f(i) on waking: with 1, the first pass of every loser costs the length of its name";

const WITH_FIRST_F_AND_EQUAL_CLOCKS: &str =
    "the same, if the timer is set to f(i) on waking, and all clocks are equal where means are taken (V47)";

pub(crate) const POWER: TableRow = TableRow {
    law: "power:2",
    cells: [
        cell("O(Nul/m)", |ring| ring.n * asynchronicity(ring) * ring.l() as f64),
        cell("O(Nul log l/m)", |ring| ring.n * asynchronicity(ring) * ring.l() as f64 * log(ring.l())),
        cell("O(N(w/(l w_p) + l))", |ring| ring.n * (walk(ring, ring.l() as f64) + ring.l() as f64)),
        cell("O(N(w/(l w_p) + l log l))", |ring| {
            ring.n * (walk(ring, ring.l() as f64) + ring.l() as f64 * log(ring.l()))
        }),
    ],
    linear_means: true,
    repaired: (WITH_FIRST_F_AND_EQUAL_CLOCKS, Repaired::FirstF),
};

pub(crate) const TWO: TableRow = TableRow {
    law: "2^i",
    cells: [
        cell("O(Nu/m)", |ring| ring.n * asynchronicity(ring)),
        cell("O(Nu log l/m)", |ring| ring.n * asynchronicity(ring) * log(ring.l())),
        cell("O(N(w/(2^l w_p) + 1))", |ring| ring.n * (walk(ring, (ring.l() as f64).exp2()) + 1.0)),
        cell("O(N(w/(2^l w_p) + log l))", |ring| ring.n * (walk(ring, (ring.l() as f64).exp2()) + log(ring.l()))),
    ],
    linear_means: true,
    repaired: (WITH_FIRST_F_AND_EQUAL_CLOCKS, Repaired::FirstF),
};

pub(crate) const WALK: TableRow = TableRow {
    law: "walk",
    cells: [
        cell("O(Nu/m)", |ring| ring.n * asynchronicity(ring)),
        cell("O(Nu log l/m)", |ring| ring.n * asynchronicity(ring) * log(ring.l())),
        cell("Θ(N)", |ring| ring.n),
        cell("Θ(N log l)", |ring| ring.n * log(ring.l())),
    ],
    linear_means: true,
    repaired: (WITH_FIRST_F_AND_EQUAL_CLOCKS, Repaired::FirstF),
};

pub(crate) const ASYNCHRONICITY: TableRow = TableRow {
    law: "u/m",
    cells: [
        cell("Θ(N)", |ring| ring.n),
        cell("Θ(N log l)", |ring| ring.n * log(ring.l())),
        cell("Θ(N)", |ring| ring.n),
        cell("Θ(N log l)", |ring| ring.n * log(ring.l())),
    ],
    linear_means: false,
    repaired: (WITH_FIRST_F, Repaired::FirstF),
};

/// What the cost grows with.
struct GrowthAxis {
    symbol: &'static str,
    /// The options of the runs that show the worst case, and of those that show the mean.
    options: [String; 2],
    size: fn(&RingFigures) -> f64,
}

/// Eight identities in several arrangements: ascending, and three others.
fn arrangements(ids: [u64; 8]) -> [String; 4] {
    [[0, 1, 2, 3, 4, 5, 6, 7], [0, 4, 2, 6, 1, 5, 3, 7], [0, 5, 3, 1, 7, 2, 6, 4], [0, 6, 7, 3, 5, 4, 1, 2]]
        .map(|order| order.map(|k: usize| ids[k].to_string()).join(","))
}

/// Clocks that keep small identities back, as in the example of section 4, up to a ratio.
pub(crate) fn slow_first(n: u32, ratios: impl Iterator<Item = u32>) -> String {
    let list = |ratio: u32| (0..n).map(|place| (1u64 << ratio.saturating_sub(place)).to_string()).collect::<Vec<_>>();
    ratios.map(|ratio| format!("list:{}", list(ratio).join(","))).collect::<Vec<_>>().join(" ")
}

fn axes() -> [GrowthAxis; 4] {
    let least = [2, 4, 8, 16, 32].map(|l| arrangements([0, 1, 2, 3, 4, 5, 6, 7].map(|k| l + k)).join(" ")).join(" ");
    let (least, greatest) = (format!("--vary ids='{least}'"), LONGER.to_string());
    let ratios = slow_first(16, 1..=6);
    [
        GrowthAxis {
            symbol: "N",
            options: [
                "-n 2^4..2^9 --vary order='random ascending descending bit-reversal'".to_string(),
                "-n 2^4..2^9".to_string(),
            ],
            size: |ring| ring.n,
        },
        GrowthAxis {
            symbol: "u/m",
            options: [
                format!("-n 16 --order ascending --vary clocks='{ratios}'"),
                "-n 32 --r 1 --vary d='1 3 7 15 31 63'".to_string(),
            ],
            size: asynchronicity,
        },
        GrowthAxis { symbol: "l", options: [least.clone(), least], size: |ring| ring.l() as f64 },
        GrowthAxis { symbol: "log L", options: [greatest.clone(), greatest], size: |ring| digits(ring.greatest()) },
    ]
}

/// Rings of several sizes with the clocks of the paper's example, names in random order, and the mean of their messages.
fn slow_first_means(
    trial: &mut Trial<'_>,
    law: &str,
    sizes: &[u32],
    runs: (u64, u64),
) -> TrialResult<Vec<(u64, RunsMade)>> {
    let mut made = Vec::new();
    for &n in sizes {
        let clocks = slow_first(n, std::iter::once(n));
        let scope = format!("--order random --clocks {clocks} --set law={law} --set claims=printed");
        let command = format!("vitanyi -n {n} {scope} --quantity messages");
        made.push((u64::from(n), trial.runs(&command, runs)?));
    }
    Ok(made)
}

/// The mean of a quantity by N, divided by N.
fn by_n(made: &[(u64, RunsMade)]) -> Vec<(f64, f64)> {
    let mean = |(n, runs): &(u64, RunsMade)| {
        let (_, found) = runs.rows("messages").next()?;
        Some((*n as f64, found.mean / *n as f64))
    };
    made.iter().filter_map(mean).collect()
}

/// An exponent that is within this of the claimed one is counted as that: logarithms and constant terms shift it.
const TOLERANCE: f64 = 0.2;

impl TableRow {
    /// All four cells, along all four axes.
    pub(crate) fn test(&self, trial: &mut Trial<'_>) -> TrialResult<Evidence> {
        let mut printed = self.measure(trial, "", &self.cells)?;
        if self.linear_means {
            let means = by_n(&slow_first_means(trial, self.law, &[4, 16, 48], (100, 400))?);
            let logarithmic = means.windows(2).all(|pair| pair[0].1 < pair[1].1);
            let each: Vec<_> = means.iter().map(|(n, mean)| format!("{n}: {}", decimal(*mean))).collect();
            let how = if logarithmic { "rises with N, too" } else { "does not rise" };
            printed = printed.note(format!("with slow clocks first (V47) mean messages/N {how}: {}", each.join(", ")));
        }
        if printed.verdict != LedgerVerdict::Refuted {
            return Ok(printed);
        }
        let (statement, repaired) = &self.repaired;
        let evidence = match repaired {
            Repaired::FirstF => self.measure(trial, " --set first=f", &self.cells)?,
            Repaired::Cells(cells) => self.measure(trial, "", cells)?,
        };
        Ok(printed.repaired(statement, evidence))
    }

    fn measure(&self, trial: &mut Trial<'_>, set: &str, cells: &[TableCell; 4]) -> TrialResult<Evidence> {
        let mut made = Vec::new();
        for axis in axes() {
            let mut both = Vec::new();
            for (mean, options) in axis.options.iter().enumerate() {
                let runs = if mean == 0 { (2, 10) } else { (10, 100) };
                let quantities = "--quantity messages --quantity bits";
                both.push(trial.runs(&format!("vitanyi {options} --set law={}{set} {quantities}", self.law), runs)?);
            }
            made.push((axis, both));
        }
        let count: usize = made.iter().flat_map(|(_, both)| both).map(|runs| runs.records.len()).sum();
        let method = format!("fitted exponents of {count} runs along N, u/m, l and log L");
        let (mut shown, mut wrong, mut counterexample) = (Vec::new(), Vec::new(), None);
        for (&(name, quantity, mean), cell) in COLUMNS.iter().zip(cells) {
            let mut exponents = Vec::new();
            for (axis, both) in &made {
                let runs = &both[usize::from(mean)];
                exponents.push(format!("({})^{}", axis.symbol, fitted(runs, quantity, mean, axis, |_| 1.0)?.text()));
                let Some(excess) = fitted(runs, quantity, mean, axis, cell.claimed)?.0 else { continue };
                let tight = cell.claim.starts_with('Θ');
                if excess > TOLERANCE || tight && excess < -TOLERANCE {
                    wrong.push(format!("{name} over {} by ({})^{}", cell.claim, axis.symbol, decimal(excess)));
                    counterexample.get_or_insert_with(|| runs.report.provenance.command.clone());
                }
            }
            shown.push(format!("{name} as {}, claimed {}", exponents.join(" "), cell.claim));
        }
        let measured = shown.join("; ");
        Ok(match counterexample {
            None => Evidence::new(LedgerVerdict::Held, method, measured),
            Some(command) => Evidence::refuted(method, format!("{}; {measured}", wrong.join("; ")), command),
        })
    }
}

/// An exponent, if it could be fitted.
struct Fitted(Option<f64>);

impl Fitted {
    fn text(&self) -> String {
        // 0 rather than -0.
        self.0.map_or("?".to_string(), |exponent| format!("{:.2}", exponent + 0.0).replace("-0.00", "0.00"))
    }
}

/// The exponent of a quantity divided by what is claimed, along an axis: of means, or of greatest values.
fn fitted(
    runs: &RunsMade,
    quantity: &str,
    mean: bool,
    axis: &GrowthAxis,
    claimed: impl Fn(&RingFigures) -> f64,
) -> TrialResult<Fitted> {
    let mut points: Vec<(f64, Vec<f64>)> = Vec::new();
    for (setup, row) in runs.cells()? {
        let (Some(ring), Some(found)) = (RingFigures::new(&setup), row.quantity(quantity)) else { continue };
        let (size, value) = ((axis.size)(&ring), if mean { found.mean } else { found.max } / claimed(&ring));
        match points.iter_mut().find(|(known, _)| *known == size) {
            Some((_, values)) => values.push(value),
            None => points.push((size, vec![value])),
        }
    }
    let merged = |(size, values): (f64, Vec<f64>)| match mean {
        true => (size, values.iter().sum::<f64>() / values.len() as f64),
        false => (size, values.iter().copied().fold(0.0, f64::max)),
    };
    let points: Vec<_> = points.into_iter().map(merged).collect();
    Ok(Fitted(Growth::fit(&points, LEVEL).map(|growth| growth.free.exponent)))
}

/// 2N wakeups and sleepwells more than N H_N.
fn with_wakeups(n: u64) -> BigRational {
    harmonic(n) + BigRational::from_integer((2 * n).into())
}

/// V44: the mean over all orders.
pub(crate) fn all_orders(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let sizes = trial.pick("2..7", "2..10");
    let before = trial.exact(&format!("chang-roberts -n {sizes}"))?.mean_is("election", "N H_N", harmonic)?;
    let exact = trial.exact(&format!("vitanyi -n {}", trial.pick("2..7", "2..9")))?;
    let means: Vec<String> =
        exact.rows.iter().map(|row| format!("n = {}: {}", row.n, row.messages.mean.text())).collect();
    Ok(before.note(format!("this election in lockstep, f = 2^i: {}", means.join(", "))))
}

/// Equation (5), with a weight for each message. A message takes as many ticks as it has digits where it is read bit by bit.
fn equation_5(ring: &RingFigures, weight: fn(u64) -> f64) -> f64 {
    let reading = |i: u64| if ring.bit_serial { digits(i) } else { 1.0 };
    let available = ring.w + ring.w_s + ring.w_p * ring.f(ring.l()) * reading(ring.l());
    let tours = |&i: &u64| weight(i) * available / (ring.w_s + ring.w_p * ring.f(i) * reading(i));
    2.0 * ring.n + ring.n * ring.ids.iter().map(tours).sum::<f64>()
}

const MEANS: &str = "-n 4..32 --vary d='0 8' --vary set.law='2^i walk u/m power:2'";

/// (5) is claimed up to a factor.
fn twice(setup: &Setup, weight: fn(u64) -> f64) -> Option<f64> {
    RingFigures::new(setup).map(|ring| 2.0 * equation_5(&ring, weight))
}

/// Whether a mean that the protocol lists is not exceeded in any cell.
fn listed_mean(runs: &RunsMade, quantity: &str, formula: &str) -> TrialResult<Evidence> {
    runs.mean(quantity, formula, Comparator::AtMost, |setup| {
        setup.facts.bounds.iter().find(|bound| bound.formula == formula).map(|bound| float(bound.value))
    })
}

/// V47: mean messages.
pub(crate) fn mean_messages(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let mut made = slow_first_means(trial, "2^i", &[4, 8, 16, 32], (100, 1000))?;
    made.extend(slow_first_means(trial, "2^i", &[48], (3000, 10_000))?);
    let table: Vec<_> = by_n(&made).into_iter().map(|(n, mean)| format!("N = {n}: {}", decimal(mean))).collect();
    let Some((_, last)) = made.last() else { return Ok(all([])) };
    let printed = last.mean("messages", "(5)", Comparator::AtMost, |setup| {
        RingFigures::new(setup).map(|ring| equation_5(&ring, |_| 1.0))
    })?;
    let formula = "N sum (w + w_s + w_p f(l) log l)/(w_s + w_p f(i) log i)";
    let equal = trial.runs(&format!("vitanyi {MEANS}"), (10, 100))?;
    let equal = listed_mean(&equal, "messages", &format!("3N + {formula}"))?;
    let with_f = trial.runs(&format!("vitanyi {MEANS} --set first=f"), (10, 100))?;
    let with_f = listed_mean(&with_f, "messages", &format!("2N + {formula}"))?;
    let unequal = trial.runs("vitanyi -n 4..32 --r 1..8 --d 0..6 --vary set.law='2^i power:2'", (10, 100))?;
    let unequal = listed_mean(&unequal, "messages.by_kind.election", "N H_N")?;
    let serial = trial.runs(&format!("vitanyi {MEANS} --reading bit-serial"), (10, 50))?;
    let serial = serial.mean("messages", "2·(5)", Comparator::AtMost, |setup| twice(setup, |_| 1.0))?;
    Ok(printed.note(format!("mean messages/N, of which (5) is at most 5: {}", table.join(", "))).repaired(
        "if all clocks are equal and all delays are: (5) where the timer is set to f(i) on waking, and N more as printed; in any \
         case 2N + N H_N",
        all([equal, with_f, unequal].map(|evidence| evidence.proved(PROOF)))
            .note(format!("read bit by bit, with equal clocks: {}", serial.measured.join("; "))),
    ))
}

/// V48: mean bits. Two processors have one order only.
pub(crate) fn mean_bits(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let formula = "2·(5) with digits(i)";
    let scope = "--reading bit-serial --set claims=printed --quantity bits";
    let longer = trial.runs(&format!("vitanyi {LONGER} {scope}"), (1, 1))?;
    let printed = longer
        .every("bits", formula, Comparator::AtMost, |run| Some((run.value("bits")?, twice(&run.setup(), digits)?)))?;
    let table = longer.table("bits", |setup| format!("L = {}", setup.scenario.ids[1]))?;
    let formula = "N sum log i (w + w_s + w_p f(l) log l)/(w_s + w_p f(i) log i)";
    let equal = trial.runs(&format!("vitanyi {MEANS}"), (10, 100))?;
    let equal = listed_mean(&equal, "bits", &format!("2N + sum over i != l of log i + {formula}"))?;
    let with_f = trial.runs(&format!("vitanyi {MEANS} --set first=f"), (10, 100))?;
    let with_f = listed_mean(&with_f, "bits", &format!("2N + {formula}"))?;
    Ok(printed
        .shown_by(&longer.report.provenance.command)
        .note(format!("and growing, where (5) does not: {table}"))
        .repaired(
            "if all clocks are equal and all delays are, and a message is read in a unit: as printed with Σ digits(i) over i ≠ l \
             more, and without it where the timer is set to f(i) on waking",
            all([equal, with_f].map(|evidence| evidence.proved(PROOF))),
        ))
}

/// V57: the minimal-time variant.
pub(crate) fn minimal_time(trial: &mut Trial<'_>) -> TrialResult<Evidence> {
    let exact = trial.exact(&format!("vitanyi -n {} --set law=min-time", trial.pick("2..7", "2..9")))?;
    let worst = exact.at_most("messages", "2N + N(N+1)/2", |n| (2 * n + n * (n + 1) / 2) as f64)?;
    Ok(worst.and(exact.mean_is("messages", "2N + N H_N", with_wakeups)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::LedgerEffort;

    #[test]
    fn clocks_are_slow_first_and_arrangements_are_permutations() {
        assert_eq!(slow_first(3, 0..=2), "list:1,1,1 list:2,1,1 list:4,2,1");
        for order in arrangements([1, 2, 3, 4, 5, 6, 7, 8]) {
            let mut ids: Vec<&str> = order.split(',').collect();
            ids.sort_unstable();
            assert_eq!(ids, ["1", "2", "3", "4", "5", "6", "7", "8"]);
        }
    }

    #[test]
    fn the_worst_case_of_a_constant_law_is_a_square() {
        let mut trial = Trial::new(LedgerEffort { quick: true, ..LedgerEffort::default() }, &());
        let runs = trial.runs("vitanyi -n 2^4..2^7 --order ascending --set law=constant:1", (1, 1)).ok().unwrap();
        let [axis, ..] = axes();
        // N(N+1)/2 election messages, by hand: all of M_i's N-i+1 passes.
        let exact = |ring: &RingFigures| ring.n * (ring.n + 1.0) / 2.0;
        let fit = |claimed: &dyn Fn(&RingFigures) -> f64| {
            fitted(&runs, "messages.by_kind.election", false, &axis, claimed).ok().unwrap().0.unwrap()
        };
        assert!(fit(&exact).abs() < 1e-9, "divided by what it is, nothing is left");
        assert!((fit(&|ring| ring.n) - 1.0).abs() < 0.1, "divided by N, about N is left");
    }
}
