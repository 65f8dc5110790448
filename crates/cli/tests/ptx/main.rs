//! The committed kernels compute what the CPU computes: shown by an interpreter of PTX, since no machine of a test has a GPU.

mod interpreter;

use ringleader::exact::{Accelerator, Device, ExactOptions, ExactRow, ExactSetup, GPU_ELECTIONS, GpuSession, Launch};
use ringleader::{Error, find};

use crate::interpreter::PtxModule;

const KERNELS: &[u8] = include_bytes!("../../src/gpu/kernels.ptx.gz");

fn kernels() -> String {
    let data = &KERNELS[10..KERNELS.len() - 8];
    String::from_utf8(miniz_oxide::inflate::decompress_to_vec(data).unwrap()).unwrap()
}

/// A GPU whose threads run one after another.
struct Interpreted {
    module: PtxModule,
    words: Vec<u64>,
    blocks: u64,
    threads: u64,
}

impl Accelerator for Interpreted {
    fn allocate(&mut self, words: usize) -> Result<(), Error> {
        self.words = vec![0; words];
        Ok(())
    }

    fn launch(&mut self, entry: &str, launch: &Launch) -> Result<(), Error> {
        let instances = &launch.instances;
        let sets = u64::from(instances.wake_sets > 1) | u64::from(instances.orientations > 1) << 1;
        let [from, to] = [launch.range.start, launch.range.end].map(Some);
        let arguments = [Some(instances.n as u64), Some(sets), from, to, None, Some(self.words.len() as u64)];
        for block in 0..self.blocks {
            for thread in 0..self.threads {
                let position = [thread, self.threads, block, self.blocks];
                self.module.run(entry, position, &arguments, &mut self.words);
            }
        }
        Ok(())
    }

    fn tallies(&mut self) -> Result<Vec<u64>, Error> {
        Ok(self.words.clone())
    }
}

/// A row without what must differ: the device.
fn comparable(row: &ExactRow) -> String {
    format!("{:?}", ExactRow { device: String::new(), ..row.clone() })
}

/// Every election with all sizes up to this one; the session repeats n = 7 on both first.
const MOST: u64 = 6;

#[test]
fn the_kernels_compute_what_the_cpu_computes() {
    let text = kernels();
    for (number, election) in (0..).zip(GPU_ELECTIONS) {
        // One thread, a few, and several blocks.
        let (blocks, threads) = [(1, 1), (1, 5), (3, 2)][number % 3];
        let mut gpu = Interpreted { module: PtxModule::parse(&text), words: Vec::new(), blocks, threads };
        let mut session = GpuSession::new(&mut gpu);
        for n in 1..=MOST {
            let usual = ExactOptions { set: election.settings(), ..ExactOptions::default() };
            let asked = ExactOptions { device: Device::Gpu, ..usual.clone() };
            let entry = find(election.protocol).unwrap();
            let right = ExactSetup::new(entry, n, &usual).unwrap().compute(&()).unwrap().unwrap();
            let found = session.compute(&ExactSetup::new(entry, n, &asked).unwrap(), &()).unwrap().unwrap();
            assert_eq!(comparable(&found), comparable(&right), "{} with n = {n}", election.entry);
        }
    }
}

/// Wake sets, and orientations where the ring is bidirectional.
#[test]
fn the_kernels_compute_all_wake_sets_and_orientations() {
    let text = kernels();
    for election in GPU_ELECTIONS {
        let entry = find(election.protocol).unwrap();
        let two_ways = entry.description().assumptions.topology == ringleader_model::Topology::BidirectionalRing;
        let mut gpu = Interpreted { module: PtxModule::parse(&text), words: Vec::new(), blocks: 2, threads: 3 };
        let usual = ExactOptions {
            set: election.settings(),
            all_wakes: true,
            all_orientations: two_ways,
            ..ExactOptions::default()
        };
        let asked = ExactOptions { device: Device::Gpu, ..usual.clone() };
        let right = ExactSetup::new(entry, 4, &usual).unwrap().compute(&()).unwrap().unwrap();
        let found =
            GpuSession::new(&mut gpu).compute(&ExactSetup::new(entry, 4, &asked).unwrap(), &()).unwrap().unwrap();
        assert_eq!(comparable(&found), comparable(&right), "{}", election.entry);
    }
}

/// An entry point for each election, and no other.
#[test]
fn there_is_an_entry_point_for_each_election() {
    let text = kernels();
    let entries: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(".visible .entry ")).collect();
    let mut entries: Vec<&str> = entries.iter().map(|line| line.trim_end_matches('(')).collect();
    let mut elections: Vec<&str> = GPU_ELECTIONS.iter().map(|election| election.entry).collect();
    entries.sort_unstable();
    elections.sort_unstable();
    assert_eq!(entries, elections);
    let module = PtxModule::parse(&text);
    assert!(elections.iter().all(|name| module.names().any(|other| other == *name)));
}

/// By hand: 7 · 6 in a loop of additions, through a frame, a constant, a table of jumps and a function.
#[test]
fn the_interpreter_follows_a_program_worked_by_hand() {
    let text = "\
.global .align 4 .b8 table[4] = {6, 0, 0, 0};
.func (.param .b64 func_retval0) add(
.param .b64 add_param_0,
.param .b64 add_param_1
)
{
.reg .b64 %rd<4>;
ld.param.b64 %rd1, [add_param_0];
ld.param.b64 %rd2, [add_param_1];
add.s64 %rd3, %rd1, %rd2;
st.param.b64 [func_retval0], %rd3;
ret;
}
.visible .entry main(
.param .u64 main_param_0
)
{
.local .align 8 .b8 __local_depot0[8];
.reg .pred %p<2>;
.reg .b32 %r<5>;
.reg .b64 %rd<9>;
mov.b64 %rd1, __local_depot0;
mov.b64 %rd2, table;
ld.global.nc.b32 %r1, [%rd2];
st.local.v2.b32 [%rd1], {0, -1};
mov.b64 %rd3, 0;
$L0:
setp.eq.b32 %p1, %r1, 0;
@%p1 bra $L1;
{
.param .b64 param0;
.param .b64 param1;
st.param.b64 [param0], %rd3;
st.param.b64 [param1], 7;
call.uni (retval0), add, (param0, param1);
ld.param.b64 %rd3, [retval0];
}
add.s32 %r1, %r1, -1;
bra.uni $L0;
$L1:
ld.local.b32 %r2, [%rd1+4];
prmt.b32 %r3, %r2, 0, 0x7770U;
shr.u32 %r4, %r3, 7;
$L2: .branchtargets
$L3,
$L4;
brx.idx %r4, $L2;
$L3:
trap; exit;
$L4:
ld.param.b64 %rd4, [main_param_0];
atom.global.add.u64 %rd5, [%rd4+8], %rd3;
atom.global.max.u64 %rd6, [%rd4], %rd5;
ret;
}
";
    let mut words = [5, 100];
    PtxModule::parse(text).run("main", [0, 1, 0, 1], &[None], &mut words);
    assert_eq!(words, [100, 142]);
}
