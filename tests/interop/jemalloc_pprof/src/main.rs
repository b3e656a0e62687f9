// Some allocations, the heap profile that jemalloc_pprof makes of them, and a dump of jemalloc.
// usage: writes-pprof PPROF DUMP
use std::{env, fs, hint, io};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[allow(non_upper_case_globals)]
#[export_name = "malloc_conf"]
pub static malloc_conf: &[u8] = b"prof:true,prof_active:true,lg_prof_sample:14\0";

#[inline(never)]
fn small(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|_| vec![1; 500]).collect()
}

#[inline(never)]
fn large(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|_| vec![1; 300_000]).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = env::args().skip(1).collect();
    let kept = (small(20_000), large(20));
    let mut control = jemalloc_pprof::PROF_CTL.as_ref().ok_or("no profiling")?.try_lock()?;
    let profile = control.dump_pprof()?;
    let mut dump = control.dump()?;
    drop(hint::black_box(kept));
    fs::write(&paths[0], profile)?;
    io::copy(&mut dump, &mut fs::File::create(&paths[1])?)?;
    Ok(())
}
