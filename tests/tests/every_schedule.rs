//! The explorer of every schedule: it finds what a plain search over whole configurations finds, the worst cases that are
//! proved, and the runs that break a protocol.

use conformance::interleavings;
use conformance::{orders, orders_up_to_rotation, ring};
use ringleader::model::{Election, Links, NoTimer, Preset, Processor, Protocol, Reading, Scenario, Settings, Timing};
use ringleader::protocols::election::afek_gafni_async::AfekGafniAsync;
use ringleader::protocols::election::all_to_all::AllToAll;
use ringleader::protocols::election::chang_roberts::ChangRoberts;
use ringleader::protocols::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use ringleader::protocols::election::franklin::Franklin;
use ringleader::protocols::election::hirschberg_sinclair::HirschbergSinclair;
use ringleader::protocols::election::itai_rodeh::ItaiRodeh;
use ringleader::protocols::election::lelann::LeLann;
use ringleader::protocols::election::peterson::Peterson;
use ringleader::protocols::election::van_leeuwen_tan::VanLeeuwenTan;
use ringleader::protocols::election::vitanyi::Vitanyi;
use ringleader::sim::Resolved;
use ringleader_check::Explorer;

/// More configurations than any of these has.
const MOST: u64 = 10_000_000;

fn unit() -> Timing {
    Preset::Unit.timing(Reading::Immediate)
}

fn explorer<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) -> Explorer<P> {
    let settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    let settings = Settings::new(P::DESCRIPTION.parameters, &settings).expect("the settings are allowed");
    let protocol = P::configure(&settings, &Resolved::new(scenario).instance(scenario)).expect("they suit it");
    Explorer::new(protocol, scenario).expect("its links keep their order, or none")
}

/// Compares with a search that keeps whole configurations.
#[track_caller]
fn same<P>(settings: &[(&str, &str)], scenario: &Scenario)
where
    P: Protocol,
    P::Processor: Processor<Problem = Election, Timer = NoTimer>,
{
    let plain = interleavings::explore::<P>(settings, scenario);
    let found = explorer::<P>(settings, scenario).explore(MOST);
    let name = P::DESCRIPTION.name;
    assert_eq!(found.states, plain.states as u64, "{name} in {scenario:?}");
    assert_eq!(found.holds(), plain.violated.is_empty() && plain.unfinished == 0, "{name} in {scenario:?}");
    if plain.violated.is_empty() {
        assert_eq!(found.quiet, plain.silent as u64, "{name} in {scenario:?}");
    }
}

#[test]
fn it_finds_as_many_configurations_as_a_plain_search() {
    for ids in orders_up_to_rotation(4) {
        let scenario = ring(&ids, unit());
        same::<LeLann>(&[], &scenario);
        same::<ChangRoberts>(&[], &scenario);
        same::<Peterson>(&[], &scenario);
        same::<DolevKlaweRodeh>(&[("variant", "b")], &scenario);
        // Messages that overtake each other break some of them; both searches must see the same.
        let any = Scenario { links: Links::Any, ..scenario };
        same::<ChangRoberts>(&[], &any);
        same::<Peterson>(&[], &any);
    }
    for ids in orders(3) {
        let scenario = ring(&ids, unit());
        same::<Franklin>(&[], &scenario);
        same::<HirschbergSinclair>(&[], &scenario);
        same::<AllToAll>(&[], &scenario);
    }
    same::<AfekGafniAsync>(&[], &ring(&[2, 1], unit()));
}

/// Chang and Roberts: N(N+1)/2 election messages and N for the announcement, and no schedule has more.
#[test]
fn the_worst_schedule_of_chang_and_roberts_is_the_one_that_is_proved() {
    for n in 1..=6u64 {
        let most = |ids: &Vec<u64>| {
            let found = explorer::<ChangRoberts>(&[], &ring(ids, unit())).explore(MOST);
            assert!(found.holds(), "{ids:?}: {:?}", found.violated);
            found.most_messages.expect("it ends")
        };
        let most = orders_up_to_rotation(n).iter().map(most).max();
        assert_eq!(most.map(u64::from), Some(n * (n + 1) / 2 + n), "{n}");
    }
}

/// Whatever clocks do: a timer may run off at any moment.
#[test]
fn vitanyi_elects_one_whatever_clocks_do() {
    for ids in orders_up_to_rotation(3).iter().chain(&orders_up_to_rotation(4)) {
        let found = explorer::<Vitanyi>(&[], &ring(ids, Preset::Lockstep.timing(Reading::PerTick))).explore(MOST);
        assert!(found.holds(), "{ids:?}: {:?}", found.violated);
        assert!(found.most_messages.is_some(), "{ids:?}");
    }
}

#[test]
fn van_leeuwen_and_tan_elect_one_whether_messages_meet_or_not() {
    for ids in orders_up_to_rotation(4) {
        let found = explorer::<VanLeeuwenTan>(&[], &ring(&ids, unit())).explore(MOST);
        assert!(found.holds(), "{ids:?}: {:?}", found.violated);
    }
}

/// Round numbers grow without end: the search stops where it is told to, and says so.
#[test]
fn what_was_not_looked_at_is_not_said_to_hold() {
    let scenario = Scenario { n: 2, timing: unit(), ..Scenario::default() };
    let found = explorer::<ItaiRodeh>(&[], &scenario).explore(10_000);
    assert_eq!((found.complete, found.holds(), found.most_messages), (false, false, None));
    assert!(found.states >= 10_000);
    assert_eq!(found.violated, [], "what was looked at is right");
}

/// Where links do not keep the order, Peterson's first and second are mistaken for each other; the shortest such run is
/// found, and repeats.
#[test]
fn the_shortest_run_that_breaks_peterson_on_links_that_reorder_is_found() {
    let broken = orders_up_to_rotation(3).into_iter().chain(orders_up_to_rotation(4)).find_map(|ids| {
        let scenario = Scenario { links: Links::Any, ..ring(&ids, unit()) };
        let mut explorer = explorer::<Peterson>(&[], &scenario);
        let found = explorer.explore(MOST);
        let (property, _) = found.violated.first()?;
        Some((explorer.shortest(property)?, explorer.shortest(property)?))
    });
    let (once, again) = broken.expect("it needs links that keep the order");
    assert_eq!(once, again);
    assert!(once.len() > 3, "{once:?}");
    assert_eq!(once[0].event, "wakes");
}
