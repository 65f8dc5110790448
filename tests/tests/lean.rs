//! Lean runs, as benchmarks and very large rings take them, have the results of full runs.

use conformance::{Draw, entry, finished, owned, prepared_in, ring, samples};
use ringleader::Setup;
use ringleader::model::{
    Assumptions, Links, OneToken, Problem, Processor, Protocol, Range, ReadersWriters, Scenario, Settings, Starts,
    Timing, Topology, Values, Wakes, Workload,
};
use ringleader::sim::Lean;

fn drawn(draw: &mut Draw) -> Scenario {
    let n = draw.between(1, 50) as usize;
    let timing = draw.timing_up_to(&[0, 1, 7, 300]);
    let ids = draw.ids(n, n as u64 + 3);
    Scenario { wakes: draw.wakes(n, 40), seed: draw.below(1 << 40), ..ring(&ids, timing) }
}

/// The scenario, without what the protocol does not allow, and with what only its network has.
fn suited(scenario: Scenario, assumptions: &Assumptions, draw: &mut Draw) -> Scenario {
    let preset = assumptions.preset;
    let two_ways = assumptions.topology == Topology::BidirectionalRing;
    let reading = Some(scenario.timing.reading).filter(|reading| assumptions.readings.contains(reading));
    let timing = Timing { reading: reading.unwrap_or(assumptions.readings[0]), ..scenario.timing };
    Scenario {
        ids: if assumptions.identities { scenario.ids } else { Vec::new() },
        wakes: if assumptions.starts == Starts::Together { Wakes::All } else { scenario.wakes },
        timing: if assumptions.compulsory { preset.timing(preset.reading()) } else { timing },
        orientation: if two_ways { (0..scenario.n).map(|_| draw.once_in(2)).collect() } else { Vec::new() },
        links: if two_ways && draw.once_in(4) { Links::Half } else { assumptions.links },
        ..scenario
    }
}

/// The scenario with the users that a protocol's problem has, and its cells.
fn visited<P: Protocol>(mut scenario: Scenario, settings: &Settings, draw: &mut Draw) -> Scenario {
    type Of<P> = <<P as Protocol>::Processor as Processor>::Problem;
    if Of::<P>::WORKLOAD_REQUESTS.is_none() {
        return scenario;
    }
    let shared = Of::<P>::NAME == ReadersWriters::NAME;
    // A network of one has nobody to share with.
    let sites = scenario.n.min(9);
    let cells = P::cells(settings);
    scenario.n = sites + cells;
    scenario.ids.truncate(sites);
    scenario.wakes = Wakes::All;
    scenario.workload = Some(Workload {
        entries: draw.between(1, 4),
        think: Range::new(0, draw.between(0, 9)),
        hold: Range::new(1, draw.between(1, 9)),
        readers: if shared { sites - 1 } else { 0 },
        writers: usize::from(shared),
        cells,
        ..Workload::new(sites)
    });
    scenario
}

/// The scenario made small and slow enough for 150 laps of a token.
fn bounded<P: Protocol>(mut scenario: Scenario) -> Scenario {
    if <P::Processor as Processor>::Problem::NAME == OneToken::NAME {
        scenario.n = scenario.n.min(6);
        if let Wakes::At(at) = &mut scenario.wakes {
            at.truncate(scenario.n);
            at[0] = Some(0);
        }
        let d = &mut scenario.timing.d;
        *d = Range::new(d.min.clamp(1, 7), d.max.clamp(1, 7));
    }
    scenario
}

fn compare<P: Protocol>() {
    let description = P::DESCRIPTION;
    let mut draw = Draw::new(description.name.len() as u64);
    let mut compared: u64 = 0;
    let samples = samples(1500);
    for _ in 0..samples {
        let scenario = bounded::<P>(suited(drawn(&mut draw), &description.assumptions, &mut draw));
        // Any reading that is right on these links; as printed, a run may never end.
        let mut set = Vec::new();
        for parameter in description.parameters {
            // A finder leads on half-duplex links only.
            let usual = !["rules", "printed", "duplex", "leader"].contains(&parameter.name);
            if let Values::Choice(words) = parameter.values
                && usual
            {
                set.push((parameter.name, draw.one_of(words)));
            }
        }
        // Where every step is drawn by itself, thirty stages of many steps take long.
        if description.parameters.iter().any(|parameter| parameter.name == "k") {
            set.push(("k", "1"));
        }
        if description.parameters.iter().any(|parameter| parameter.name == "duplex") {
            set.push(("duplex", if scenario.links == Links::Half { "half" } else { "full" }));
        }
        let given = owned(&set);
        let settings = Settings::new(description.parameters, &given).expect("they are allowed");
        let links = if scenario.links == Links::Half { Links::Half } else { P::links(&settings) };
        let scenario = visited::<P>(Scenario { links, ..scenario }, &settings, &mut draw);

        // Some need more than one processor, or messages that take time.
        let Ok(mut lean) = prepared_in::<P, Lean>(&set, &scenario) else { continue };
        compared += 1;
        let lean = finished(&mut lean);
        let setup = Setup::of_scenario(entry(description.name), scenario.clone(), given, None, [None, None]);
        let full = setup.and_then(|setup| setup.run()).expect("a lean run suited it");
        let context = format!("{} {set:?} in {scenario:?}", description.name);
        assert_eq!(lean.outcome, full.outcome, "{context}");
        assert_eq!((lean.verdict, lean.finished), (full.verdict, full.finished), "{context}");
        assert_eq!(lean.cost.kinds, full.cost.kinds, "{context}");
        assert_eq!((lean.cost.deliveries, lean.cost.phases), (full.cost.deliveries, full.cost.phases), "{context}");
        assert_eq!((lean.cost.time, lean.cost.time_elected), (full.cost.time, full.cost.time_elected), "{context}");
        assert_eq!(lean.cost.tally, full.cost.tally, "{context}");
    }
    assert!(3 * compared > 2 * samples, "{}: {compared}", description.name);
}

macro_rules! compare_each {
    ($($list:ident: [$($protocol:ty),* $(,)?]),* $(,)?) => {
        #[test]
        fn lean_runs_have_the_results_of_full_runs() {
            $($(compare::<$protocol>();)*)*
        }
    };
}

ringleader::protocols::each_protocol!(compare_each);
