// SPDX-License-Identifier: GPL-2.0-only
// A Rust panic goes through a C frame of the library. C-unwind was unstable before Rust 1.71.
#![allow(stable_features)]
#![feature(c_unwind)]
use std::panic;

type Function = extern "C-unwind" fn(*mut i32) -> i32;
extern "C-unwind" {
    fn hm_call(f: Function, arg: *mut i32) -> i32;
    fn hm_plain(x: i32) -> i32;
}

extern "C-unwind" fn panic_if_odd(arg: *mut i32) -> i32 {
    if unsafe { *arg } % 2 == 1 {
        panic::resume_unwind(Box::new(1));
    }
    0
}

fn main() {
    let mut caught = 0;
    for i in 0..100 {
        let mut number = i;
        let call = move || unsafe { hm_call(panic_if_odd, &mut number) };
        if panic::catch_unwind(call).is_err() {
            caught += 1;
        }
        unsafe { hm_plain(i) };
    }
    println!("caught {}", caught);
    println!("calls hm_call 100 hm_plain 100");
}
