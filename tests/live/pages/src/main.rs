// Large objects of random sizes, what they take in all, and a dump of jemalloc.
// usage: pages SEED DUMP
use std::alloc::{GlobalAlloc, Layout};
use std::ffi::{c_char, c_void, CString};
use std::{env, hint, mem, ptr};
use tikv_jemalloc_sys as jemalloc;

struct Jemalloc;

// Of no more than 16 bytes of alignment.
unsafe impl GlobalAlloc for Jemalloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        jemalloc::malloc(layout.size()).cast()
    }
    unsafe fn dealloc(&self, at: *mut u8, _: Layout) {
        jemalloc::free(at.cast())
    }
}

#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

#[inline(never)]
fn first(size: usize) -> Vec<u8> {
    hint::black_box(Vec::with_capacity(size))
}

#[inline(never)]
fn second(size: usize) -> Vec<u8> {
    hint::black_box(Vec::with_capacity(size))
}

fn taken(object: &Vec<u8>) -> usize {
    unsafe { jemalloc::malloc_usable_size(object.as_ptr().cast()) }
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let mut state: u64 = arguments[1].parse::<u64>().unwrap() * 7919 + 88172645463325252;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    (0..200).for_each(|_| {
        random();
    });
    let objects: Vec<Vec<u8>> = (0..500)
        .map(|i| {
            let size = 33_000 + random() % 600_000;
            if i % 2 == 0 { first(size) } else { second(size) }
        })
        .collect();
    println!("{}", objects.iter().map(taken).sum::<usize>());
    let path = CString::new(arguments[2].as_str()).unwrap();
    let mut at: *const c_char = path.as_ptr();
    let failed = unsafe {
        jemalloc::mallctl(c"prof.dump".as_ptr(), ptr::null_mut(), ptr::null_mut(),
                          (&mut at as *mut *const c_char).cast::<c_void>(), mem::size_of_val(&at))
    };
    assert_eq!(failed, 0);
    hint::black_box(objects);
}
