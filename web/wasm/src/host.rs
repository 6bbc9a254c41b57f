//! Bytes from JavaScript, and rows to it.
//!
//! The pipeline may move its readers and sinks to other threads, which values of JavaScript cannot
//! follow. The module has one thread, so its functions are in a variable of that thread.

use std::cell::RefCell;
use std::io::{self, Read};

use bulkdoku::pipeline::{Checkpoint, Sink};
use js_sys::{Function, Uint8Array};
use wasm_bindgen::prelude::*;

/// The bytes of a call to JavaScript.
const PIECE: u64 = 1 << 20;
/// The number of messages that a report holds.
const MAX_MESSAGES: usize = 1000;
const PROGRESS_MS: f64 = 200.0;

thread_local! {
    static READ: RefCell<Option<Function>> = const { RefCell::new(None) };
    static WRITE: RefCell<Option<WriteRows>> = const { RefCell::new(None) };
}

#[wasm_bindgen]
extern "C" {
    /// A function that receives rows. They are not copied, so its array is valid during the call.
    #[wasm_bindgen(typescript_type = "WriteRows")]
    #[derive(Clone)]
    pub type WriteRows;
    #[wasm_bindgen(method, structural, catch)]
    fn call(this: &WriteRows, context: &JsValue, rows: &[u8], records: f64) -> Result<(), JsValue>;
}

/// Sets the function that returns `length` bytes at `offset`, fewer at the end of the input.
pub fn read_with(read: &Function) {
    READ.replace(Some(read.clone()));
}

/// Sets the function that receives rows and the number of records so far.
pub fn write_with(write: &WriteRows) {
    WRITE.replace(Some(write.clone()));
}

/// Calls one of the functions.
fn with<F, T>(
    which: &RefCell<Option<F>>,
    call: impl FnOnce(&F) -> Result<T, JsValue>,
) -> io::Result<T> {
    let function = which.borrow();
    let function = function.as_ref().ok_or_else(|| io::Error::other("no function was set"))?;
    call(function).map_err(|exception| failed(&exception))
}

/// Converts an exception.
fn failed(exception: &JsValue) -> io::Error {
    let text = js_sys::Error::from(exception.clone()).message();
    io::Error::other(String::from(text))
}

/// Reads a part of the input.
pub struct Reader {
    /// The part that has not been requested.
    rest: std::ops::Range<u64>,
    piece: Vec<u8>,
    taken: usize,
}

impl Reader {
    pub fn new(rest: std::ops::Range<u64>) -> Self {
        Self { rest, piece: Vec::new(), taken: 0 }
    }

    fn fetch(&mut self) -> io::Result<()> {
        let length = PIECE.min(self.rest.end - self.rest.start);
        let (offset, length) = (self.rest.start as f64, length as f64);
        let call = |read: &Function| read.call2(&JsValue::NULL, &offset.into(), &length.into());
        let bytes = Uint8Array::from(READ.with(|read| with(read, call))?);
        self.piece.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut self.piece);
        self.taken = 0;
        self.rest.start += u64::from(bytes.length());
        if self.piece.is_empty() {
            self.rest.end = self.rest.start;
        }
        Ok(())
    }
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.piece.len() && !self.rest.is_empty() {
            self.fetch()?;
        }
        let got = (&self.piece[self.taken..]).read(into)?;
        self.taken += got;
        Ok(got)
    }
}

/// Passes rows on in large pieces, and collects the first messages.
#[derive(Default)]
#[allow(clippy::struct_field_names)]
pub struct Rows {
    rows: Vec<u8>,
    written_at: f64,
    /// Messages as JSON, one per line.
    pub messages: Vec<String>,
    /// The number of all messages.
    pub message_count: u64,
}

impl Rows {
    fn write(&mut self, records: u64) -> io::Result<()> {
        let call = |write: &WriteRows| write.call(&JsValue::NULL, &self.rows, records as f64);
        WRITE.with(|write| with(write, call))?;
        self.rows.clear();
        Ok(())
    }
}

impl Sink for Rows {
    fn header(&mut self, _: u8, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn rows(&mut self, _: u8, bytes: &[u8]) -> io::Result<()> {
        self.rows.extend_from_slice(bytes);
        Ok(())
    }

    fn messages(&mut self, bytes: &[u8]) -> io::Result<()> {
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            self.message_count += 1;
            if self.messages.len() < MAX_MESSAGES {
                self.messages.push(String::from_utf8_lossy(line).into());
            }
        }
        Ok(())
    }

    fn checkpoint(&mut self, at: &Checkpoint, is_end: bool) -> io::Result<()> {
        let now = js_sys::Date::now();
        if is_end || self.rows.len() as u64 >= PIECE || now - self.written_at >= PROGRESS_MS {
            self.written_at = now;
            self.write(at.counts.records())?;
        }
        Ok(())
    }

    fn finish(&mut self, _: bool) -> io::Result<()> {
        Ok(())
    }
}
