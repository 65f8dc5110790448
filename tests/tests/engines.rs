//! Schedules with clocks, taken at random out of all that the explorer looks at, and taken again by the simulator: both engines
//! leave every processor in the same state, with the same result and as many messages.

use conformance::asked;
use ringleader::model::{Outcome, Processor, Protocol, Settings};
use ringleader::protocols::election::afek_gafni_async::AfekGafniAsync;
use ringleader::protocols::election::chang_roberts::ChangRoberts;
use ringleader::protocols::election::itai_rodeh::ItaiRodeh;
use ringleader::protocols::election::itai_rodeh_sync::ItaiRodehSync;
use ringleader::protocols::election::spirakis_tampakas::SpirakisTampakas;
use ringleader::protocols::election::time_slice::TimeSlice;
use ringleader::protocols::election::vitanyi::Vitanyi;
use ringleader::protocols::mutual_exclusion::ricart_agrawala::RicartAgrawala;
use ringleader::protocols::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex;
use ringleader::protocols::readers_writers::lamport::Lamport;
use ringleader::protocols::token::token_ring::TokenRing;
use ringleader::sim::{Choices, Full, Random, Resolved, Run, Simulation};
use ringleader::{Plan, taking};
use ringleader_check::{Course, Wakers, wander};

fn configured<P: Protocol>(plan: &Plan) -> P {
    let settings = Settings::new(P::DESCRIPTION.parameters, &plan.settings).expect("the settings are allowed");
    let resolved = Resolved::new(&plan.scenario);
    P::configure(&settings, &resolved.instance(&plan.scenario)).expect("they suit the scenario")
}

/// Takes so many schedules of so many instants in both engines.
#[track_caller]
fn same<P: Protocol>(line: &str, wakers: &Wakers, schedules: u64, instants: usize) {
    let (protocol, options) = asked(line);
    let plan = Plan::new(&protocol, &options).unwrap_or_else(|error| panic!("{line}: {error}"));
    for seed in 0..schedules {
        let mut random = Random::new(seed);
        let mut choose = |ways: usize| random.below(ways as u64) as usize;
        let walk = wander(configured::<P>(&plan), &plan.scenario, wakers, instants, &mut choose)
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        let Course::Timed { script, until, wakes, .. } = &walk.course else { panic!("it has clocks") };
        if wakes.iter().all(Option::is_none) {
            continue;
        }
        let scenario = taking(&plan, &walk.course).unwrap_or_else(|error| panic!("{line}: {error}")).scenario;
        let choices = Choices::Scripted(script.clone());
        let mut run: Simulation<P, Full> = Simulation::new(configured(&plan), &scenario, choices).expect("it is a run");
        run.stop_after(*until);
        while !run.advance(1000) {}
        let what = format!("{line}, schedule {seed}: {:?}", walk.course);
        assert_eq!(run.bad_choice(), None, "{what}");
        for (place, processor) in walk.processors.iter().enumerate() {
            // The explorer forgets what no rule looks at again; rounds that grow without end it counts from another one.
            let mut own = run.processor(place as u32).clone();
            own.rebase(run.protocol(), 0);
            if !P::Processor::ROUNDS {
                assert_eq!(own, *processor, "place {place} in {what}");
            }
        }
        let summary = run.summary();
        let found = (without_statistics(summary.outcome), summary.cost.messages());
        assert_eq!(found, (without_statistics(walk.outcome), walk.messages), "{what}");
    }
}

/// What only statistics need the explorer does not keep.
fn without_statistics(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Data { reads, writes, torn, stale, .. } => Outcome::Data { reads, writes, attempts: 0, torn, stale },
        other => other,
    }
}

#[test]
fn elections_that_need_no_clocks() {
    for ties in ["ruled", "either"] {
        let world = format!("--ids 3,1,2 --r 1..3 --d 1..3 --ties {ties}");
        for reading in ["immediate", "per-tick", "per-step"] {
            same::<ChangRoberts>(&format!("chang-roberts {world} --reading {reading}"), &Wakers::Anybody, 40, 25);
            same::<Vitanyi>(&format!("vitanyi {world} --reading {reading}"), &Wakers::Anybody, 40, 40);
        }
        same::<AfekGafniAsync>(&format!("afek-gafni-async {world}"), &Wakers::Anybody, 40, 25);
        let varying = format!("chang-roberts {world} --reading per-step --clocks varying");
        same::<ChangRoberts>(&varying, &Wakers::Anybody, 60, 25);
        let varying = format!("vitanyi {world} --reading per-step --clocks varying");
        same::<Vitanyi>(&varying, &Wakers::Anybody, 60, 40);
        same::<ItaiRodeh>(&format!("itai-rodeh -n 3 --r 1..2 --d 1..3 --ties {ties}"), &Wakers::Anybody, 40, 25);
    }
}

#[test]
fn elections_in_rounds() {
    same::<TimeSlice>("time-slice --ids 2,1,3", &Wakers::Together, 5, 12);
    same::<ItaiRodehSync>("itai-rodeh-sync -n 3", &Wakers::Together, 40, 20);
}

#[test]
fn symmetry_breaking_and_token_rings() {
    for ties in ["ruled", "either"] {
        let symmetry = format!("spirakis-tampakas-symmetry -n 2 --r 1..2 --d 1..2 --clocks varying --ties {ties}");
        same::<SpirakisTampakas>(&symmetry, &Wakers::Anybody, 15, 40);
        for clocks in ["fixed", "varying"] {
            let token = format!("token-ring -n 2 --r 1..2 --d 1..2 --reading per-step --clocks {clocks} --ties {ties}");
            same::<TokenRing>(&token, &Wakers::Anybody, 8, 30);
        }
        same::<TokenRing>(&format!("token-ring -n 2 --r 1..2 --d 1..2 --ties {ties}"), &Wakers::Anybody, 8, 30);
    }
}

#[test]
fn locks_and_shared_data() {
    for ties in ["ruled", "either"] {
        for clocks in ["fixed", "varying"] {
            let world = format!("-n 2 --r 1..3 --d 1..3 --clocks {clocks} --ties {ties} --entries 2");
            same::<SpirakisTampakasMutex>(
                &format!("spirakis-tampakas-mutex {world} --set c1=1"),
                &Wakers::Anybody,
                60,
                80,
            );
            same::<RicartAgrawala>(&format!("ricart-agrawala {world} --reading per-step"), &Wakers::Anybody, 60, 60);
        }
        // As the simulator rules ties, who asks again in the step of leaving does so after what arrives at that instant; in
        // the explorer before it.
        let entries = if ties == "ruled" { 1 } else { 2 };
        let immediate = format!("ricart-agrawala -n 3 --r 1..2 --d 1..2 --ties {ties} --entries {entries}");
        same::<RicartAgrawala>(&immediate, &Wakers::Anybody, 60, 60);
    }
    let lamport = "lamport-readers-writers -n 2 --r 1..2 --entries 2 --set digits=1 --set words=1";
    same::<Lamport>(lamport, &Wakers::Anybody, 30, 60);
}
