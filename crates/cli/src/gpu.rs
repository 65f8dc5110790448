//! The GPU of this machine. NVIDIA's driver is loaded when it is asked for: nothing here needs it to be there.
#![allow(
    unsafe_code,
    reason = "a kernel is foreign code: nobody but the driver can run it, and only the caller knows its parameters"
)]

use std::sync::Arc;

use cudarc::driver::sys::{self, CUdevice_attribute, CUresult};
use cudarc::driver::{CudaContext, CudaModule, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use ringleader::Error;
use ringleader::exact::{Accelerator, Launch};
use ringleader_check::catch_panic;

/// The kernels: one for each of `ringleader::exact::GPU_ELECTIONS`, made by `cargo xtask gpu`.
const KERNELS: &[u8] = include_bytes!("gpu/kernels.ptx.gz");
/// More bytes of PTX than there will ever be.
const MOST_PTX: usize = 1 << 26;

/// Blocks for each multiprocessor, and threads of a block.
const BLOCKS: u32 = 16;
const THREADS: u32 = 128;

const NEEDED: &str = "a GPU of NVIDIA with compute capability 7.5 or higher and its driver, or --device cpu";

/// A GPU with the kernels in it.
pub(crate) struct Gpu {
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
    words: Option<CudaSlice<u64>>,
    blocks: u32,
}

/// A GPU, for people.
pub(crate) struct GpuDescription {
    pub(crate) name: String,
    /// Bytes that are free, and all.
    memory: (usize, usize),
    /// As in CUDA 12.4.
    version: (i32, i32),
    capability: (i32, i32),
}

impl GpuDescription {
    pub(crate) fn text(&self) -> String {
        let ((free, all), (major, minor), (generation, revision)) = (self.memory, self.version, self.capability);
        format!(
            "{}, {} of {} MB free, compute capability {generation}.{revision}, driver for CUDA {major}.{minor}",
            self.name,
            free >> 20,
            all >> 20
        )
    }
}

/// The first GPU, described.
pub(crate) fn describe() -> Result<GpuDescription, Error> {
    let context = context()?;
    asked("be described", || {
        let mut version = 0;
        // SAFETY: the driver writes one integer to where it is told.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
        Ok(GpuDescription {
            name: context.name()?,
            memory: context.mem_get_info()?,
            version: (version / 1000, version % 1000 / 10),
            capability: context.compute_capability()?,
        })
    })
}

/// The first GPU.
fn context() -> Result<Arc<CudaContext>, Error> {
    // SAFETY: the system's library of that name is NVIDIA's driver, which may be loaded at any time.
    if !unsafe { sys::is_culib_present() } {
        return Err(device("there is no driver of NVIDIA (libcuda) on this machine".to_string()));
    }
    asked("be used", || CudaContext::new(0))
}

fn device(wrong: String) -> Error {
    Error::Device { wrong, allowed: NEEDED.to_string() }
}

/// Asks the driver for something. A function that an old driver lacks is a panic of the library that loads it.
fn asked<T>(what: &str, ask: impl FnOnce() -> Result<T, DriverError>) -> Result<T, Error> {
    match catch_panic(ask) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(device(format!("the GPU cannot {what}: {}", reason(error)))),
        Err(panic) => Err(device(format!("the GPU cannot {what}: {panic}"))),
    }
}

/// Why the driver refused, in words.
fn reason(error: DriverError) -> String {
    match error.0 {
        CUresult::CUDA_ERROR_NO_DEVICE => "the driver finds none".to_string(),
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => "its memory does not suffice".to_string(),
        CUresult::CUDA_ERROR_INVALID_PTX
        | CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        | CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
        | CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
            format!("its driver does not take the kernels ({error}); `cargo xtask gpu` builds them again")
        }
        CUresult::CUDA_ERROR_LAUNCH_TIMEOUT => "the system ended a launch that took too long".to_string(),
        _ => error.to_string(),
    }
}

/// The text of the kernels.
fn kernels() -> Result<String, Error> {
    // The header of gzip without a name has 10 bytes, what follows the data 8.
    let data = KERNELS.get(10..KERNELS.len().saturating_sub(8)).unwrap_or_default();
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(data, MOST_PTX).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).filter(|text| !text.contains('\0'));
    text.ok_or_else(|| Error::Device {
        wrong: "the kernels in this program are damaged".to_string(),
        allowed: "a program that was built again, after `cargo xtask gpu`, or --device cpu".to_string(),
    })
}

impl Gpu {
    /// The first GPU, with the kernels loaded.
    pub(crate) fn open() -> Result<Self, Error> {
        let context = context()?;
        let processors =
            asked("be used", || context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT))?;
        let text = kernels()?;
        let module = asked("load the kernels", || context.load_module(Ptx::from_src(text)))?;
        let blocks = BLOCKS * u32::try_from(processors).unwrap_or(1).max(1);
        Ok(Self { stream: context.default_stream(), module, words: None, blocks })
    }
}

impl Accelerator for Gpu {
    fn allocate(&mut self, words: usize) -> Result<(), Error> {
        let stream = &self.stream;
        let doing = format!("hold {} MB of tallies", (words * 8) >> 20);
        match &mut self.words {
            Some(own) if own.len() == words => asked(&doing, || stream.memset_zeros(own)),
            own => {
                *own = Some(asked(&doing, || stream.alloc_zeros(words))?);
                Ok(())
            }
        }
    }

    fn launch(&mut self, entry: &str, launch: &Launch) -> Result<(), Error> {
        let Some(words) = &mut self.words else { return Err(device("the GPU has no tallies".to_string())) };
        let function = asked(&format!("find the kernel {entry}"), || self.module.load_function(entry))?;
        let instances = &launch.instances;
        let n = instances.n as u32;
        let sets = u32::from(instances.wake_sets > 1) | u32::from(instances.orientations > 1) << 1;
        let length = words.len() as u64;
        let grid = LaunchConfig { grid_dim: (self.blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
        asked("run a kernel", || {
            let mut arguments = self.stream.launch_builder(&function);
            arguments.arg(&n).arg(&sets).arg(&launch.range.start).arg(&launch.range.end).arg(&mut *words).arg(&length);
            // SAFETY: these are the parameters of every entry point of gpu/src/lib.rs. Its memory is this allocation, which is
            // zeroed, as long as it says, and used by nobody else before the launch has ended.
            unsafe { arguments.launch(grid) }?;
            self.stream.synchronize()
        })
    }

    fn tallies(&mut self) -> Result<Vec<u64>, Error> {
        let Some(words) = &self.words else { return Ok(Vec::new()) };
        asked("return its tallies", || self.stream.clone_dtoh(words))
    }
}
